"""What follows from a package's releases, after any order of facts: @latest, what is shown, the grade, the search."""

import itertools

import pytest

from hub_server.catalog import actions
from hub_server.catalog.queries import packages as queries
from hub_server.catalog.rules.facets import UNMEASURED_BOUND
from hub_server.catalog.rules.search_request import SearchRequest
from schemas.package import AuditSummary
from tests.hub_server.site.samples import summary
from tests.making.action_driver import ActionDriver, caller

ALICE = caller("alice")
PACKAGE = "alice/small-sums"


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    driver.person("alice")
    for version in ("1.0.0", "1.1.0", "2.0.0rc1"):
        driver.publish(ALICE, version=version)
    return driver


def fact(hub: ActionDriver, version: str, name: str, reason: str | None) -> None:
    with hub.writing() as work:
        actions.set_fact(work, actions.resolve_release(work, PACKAGE, version), name, reason)


def measured(hub: ActionDriver, version: str, *counts: int, blocked: str = "") -> AuditSummary:
    found = summary(version, *counts)
    with hub.writing() as work:
        row = actions.resolve_release(work, PACKAGE, version)
        actions.record_audit_summary(work, row.id, found, blocked)
    return found


def card(hub: ActionDriver):
    return hub.ask(None, actions.get_package, PACKAGE).card


def found(hub: ActionDriver, **asked) -> list[str]:
    return [one.id for one in hub.ask(None, actions.search_packages, SearchRequest(**asked)).items]


def test_the_latest_is_the_highest_final_release_that_may_be_used(hub: ActionDriver) -> None:
    assert card(hub).latest == "1.1.0"
    fact(hub, "1.1.0", "deprecated", "use 2")
    assert card(hub).latest == "1.1.0", "deprecated is advice"
    fact(hub, "1.1.0", "yanked", "")
    assert card(hub).latest == "1.0.0", "an empty reason is a reason"
    fact(hub, "1.0.0", "quarantined", "steals")
    assert card(hub).latest is None
    fact(hub, "1.1.0", "yanked", None)
    assert card(hub).latest == "1.1.0"


def test_a_package_is_listed_as_long_as_one_release_is_not_quarantined(hub: ActionDriver) -> None:
    for version in ("1.0.0", "1.1.0"):
        fact(hub, version, "quarantined", "steals")
    assert found(hub) == [PACKAGE], "the pre-release is left to look at"
    fact(hub, "2.0.0rc1", "quarantined", "steals too")
    assert found(hub) == []
    fact(hub, "1.0.0", "quarantined", None)
    assert found(hub) == [PACKAGE]


@pytest.mark.parametrize(
    "order", list(itertools.permutations([("yanked", "a"), ("deprecated", "b"), ("quarantined", "c")]))
)
def test_the_order_in_which_facts_come_makes_no_difference(hub: ActionDriver, order) -> None:
    for name, reason in order:
        fact(hub, "1.1.0", name, reason)
    release = hub.ask(None, actions.get_release, PACKAGE, "1.1.0")
    assert (release.state, release.state_reason) == ("quarantined", "c")
    for name, _ in order:
        fact(hub, "1.1.0", name, None)
    release = hub.ask(None, actions.get_release, PACKAGE, "1.1.0")
    assert (release.state, release.state_reason) == ("active", "")


def test_the_card_shows_the_audit_of_the_shown_release_or_of_the_nearest_below_it(hub: ActionDriver) -> None:
    old = measured(hub, "1.0.0", 0, 400, 0, 400)
    assert card(hub).audit == old, "1.1.0 is shown; the older figures stay until its own are there"
    new = measured(hub, "1.1.0", 30, 400, 30, 400)
    assert card(hub).audit == new
    measured(hub, "2.0.0rc1", 0, 400, 0, 400)
    assert card(hub).audit == new, "figures of a higher release speak for nothing that is shown"
    fact(hub, "1.1.0", "yanked", "wrong")
    assert card(hub).audit == old


def test_grade_and_order_in_lists_follow_the_audit(hub: ActionDriver) -> None:
    hub.publish(ALICE, "alice/unmeasured")
    bad = measured(hub, "1.1.0", 120, 400, 120, 400)
    assert found(hub, grades=(bad.grade.value,)) == [PACKAGE]
    assert found(hub, sort="error") == [PACKAGE, "alice/unmeasured"], "who was never measured comes after the worst"
    bounds = dict(hub.rows("SELECT id, error_bound FROM packages"))
    assert 0 < bounds[PACKAGE] <= 1 < bounds["alice/unmeasured"] == UNMEASURED_BOUND


def test_a_blocked_release_is_not_the_latest_until_a_later_audit_lets_it(hub: ActionDriver) -> None:
    measured(hub, "1.1.0", 0, 40, 0, 40, blocked="Gets 1 counter-example wrong")
    assert card(hub).latest == "1.0.0"
    measured(hub, "1.1.0", 0, 40, 0, 40)
    assert card(hub).latest == "1.1.0"


def test_the_search_finds_words_of_the_shown_release_alone(hub: ActionDriver) -> None:
    manifest = 'format = 1\nid = "alice/small-sums"\nkind = "environment"\ntasks = { train = "tasks.jsonl" }\n'
    manifest += 'verifier = "alice_small_sums:verify"\ntags = ["quaternions"]\n[rewards.correct]\ndescription = "x"\n'
    hub.publish(ALICE, version="1.2.0", manifest=manifest)
    assert found(hub, text="quaternions") == found(hub, tags=("quaternions",)) == [PACKAGE]
    assert found(hub, tags=("math",)) == []
    fact(hub, "1.2.0", "yanked", "")
    assert found(hub, text="quaternions") == found(hub, tags=("quaternions",)) == []
    assert found(hub, tags=("math",)) == [PACKAGE]


def test_how_a_measurement_stands_is_noted_and_changes_nothing_else(hub: ActionDriver) -> None:
    before = card(hub)
    with hub.writing() as work:
        row = actions.resolve_release(work, PACKAGE, "1.1.0")
        actions.record_audit_state(work, row.id, "running")
    assert card(hub) == before.model_copy(update={"audit_state": "running"})


def test_replays_add_up(hub: ActionDriver) -> None:
    digest = hub.ask(None, actions.get_release, PACKAGE, "1.1.0").digest
    for compared, mismatches in ((10, 1), (5, 0)):
        hub.do(None, actions.record_replays, digest, compared, mismatches)
    hub.do(None, actions.record_replays, "sha256:unknown", 1, 1)
    release = hub.ask(None, actions.get_release, PACKAGE, "1.1.0")
    assert (release.replayed_count, release.replay_mismatch_count) == (15, 1)


def test_a_package_is_computed_under_its_lock(hub: ActionDriver) -> None:
    with hub.writing() as work:
        assert queries.lock_package(work.session, PACKAGE) is not None
        assert queries.lock_package(work.session, "alice/none") is None
        with pytest.raises(AssertionError):
            actions.refresh_package(work, "alice/none")
