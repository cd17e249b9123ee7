"""The strictest fact decides a release's state, and its reason is what people read."""

import pytest

from hub_server.catalog.rules.states import bar_of, state_of, waiting_for_replay
from schemas.package import ReleaseState


@pytest.mark.parametrize(("count", "words"), [(1, "a counter-example that was fixed"), (3, "3 counter-examples")])
def test_a_release_waits_for_the_replay_of_what_was_fixed(count, words) -> None:
    assert words in waiting_for_replay(count)


def test_without_fixed_cases_nothing_is_waited_for() -> None:
    assert waiting_for_replay(0) == ""


FACTS = dict.fromkeys(["barred", "taken_down", "quarantined", "yanked", "deprecated"])


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({}, (ReleaseState.ACTIVE, "")),
        ({"deprecated": "old"}, (ReleaseState.DEPRECATED, "old")),
        ({"deprecated": "old", "yanked": "leaks"}, (ReleaseState.YANKED, "leaks")),
        ({"yanked": "leaks", "quarantined": "mines"}, (ReleaseState.QUARANTINED, "mines")),
        ({"quarantined": "mines", "barred": "Taken down: law"}, (ReleaseState.QUARANTINED, "Taken down: law")),
        (
            {"barred": "Its owner is suspended: spam", "taken_down": "law"},
            (ReleaseState.QUARANTINED, "Taken down: law"),
        ),
        ({"yanked": ""}, (ReleaseState.YANKED, "")),
    ],
)
def test_the_strictest_fact_holds(facts: dict[str, str], state: tuple[ReleaseState, str]) -> None:
    """A reason may be empty: what counts is whether there is one."""
    assert state_of(**(FACTS | facts)) == state


def test_a_package_is_barred_by_the_first_of_three_facts() -> None:
    assert bar_of(taken_down=None, quarantined=None, hidden=None) is None
    assert bar_of(taken_down=None, quarantined="mines", hidden="spam") == "The whole package is quarantined: mines"
    assert bar_of(taken_down="law", quarantined="mines", hidden=None) == "Taken down: law"
