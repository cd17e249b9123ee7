"""What entries of the journal say together, and how long a package waits."""

from datetime import UTC, datetime, timedelta

import pytest

from hub_server.mirror.rules import (
    ContradictionError,
    SignedRelease,
    facts_of,
    name_of,
    pause_after,
    read_entries,
    words_of,
)
from schemas.journal.entries import Act, Statement

AT = datetime(2026, 11, 25, tzinfo=UTC)


def entry(act: Act, version: str | None = "1.0", sha: str = "a") -> Statement:
    return Statement(act=act, package="alice/sums", version=version, sha256=sha * 64, at=AT)


def test_the_last_entry_of_a_release_is_its_state_and_a_takedown_is_for_ever() -> None:
    acts = [Act.PUBLISH, Act.YANKED, Act.ACTIVE, Act.DEPRECATED]
    found = read_entries([entry(act) for act in acts] + [entry(Act.PUBLISH, "2.0", "b")])
    assert {version: one.state for version, one in found.releases.items()} == {"1.0": Act.DEPRECATED, "2.0": Act.ACTIVE}
    gone = read_entries([entry(Act.PUBLISH), entry(Act.TAKEN_DOWN), entry(Act.ACTIVE)]).releases["1.0"]
    assert gone.state is Act.TAKEN_DOWN
    assert not gone.is_shown
    assert (
        read_entries([entry(Act.PUBLISH), entry(Act.TRANSFER, None, "c"), entry(Act.TRANSFER, None, "d")]).owner_sha256
        == "d" * 64
    )
    assert read_entries([]).releases == {}


def test_a_release_that_was_entered_after_its_state_is_as_old_as_it_says_and_stays_in_that_state() -> None:
    """A release from before the journal that was yanked before it was entered: half a page copied it as active."""
    late = Statement(act=Act.YANKED, package="alice/sums", version="1.0", sha256="a" * 64, at=AT + timedelta(days=300))
    found = read_entries([late, entry(Act.PUBLISH)]).releases["1.0"]
    assert (found.published_at, found.state) == (AT, Act.YANKED)


@pytest.mark.parametrize(
    "second", [entry(Act.PUBLISH, sha="b"), entry(Act.YANKED, sha="b"), entry(Act.PUBLISH, "1.0.0")]
)
def test_entries_that_contradict_each_other_are_refused(second: Statement) -> None:
    with pytest.raises(ContradictionError):
        read_entries([entry(Act.PUBLISH), second])


def test_a_state_without_words_has_a_reason_all_the_same() -> None:
    def facts(state: Act) -> dict[str, str | None]:
        return facts_of(SignedRelease("1.0", "sha256:" + "a" * 64, AT, state), None)

    assert set(facts(Act.ACTIVE).values()) == {None}
    for state in (Act.YANKED, Act.DEPRECATED, Act.QUARANTINED, Act.TAKEN_DOWN):
        assert [name for name, reason in facts(state).items() if reason] == [state.value]


def test_pauses_grow_to_six_hours() -> None:
    assert [pause_after(tries) for tries in (1, 2, 3)] == [timedelta(minutes=n) for n in (1, 2, 4)]
    assert pause_after(10_000) == timedelta(hours=6)


def test_unsigned_words_are_cut_and_a_name_is_a_name() -> None:
    assert words_of("x" * 100_000) == "x" * 2000
    assert words_of(None) is None
    assert [name_of(told, "alice") for told in ("bob", "Bob", "../x", "", "a" * 5000)] == ["bob", *["alice"] * 4]


def test_thousands_of_versions_are_read_in_one_go() -> None:
    """Each version is parsed twice at the most: a package with 5,000 does not hold up a mirror."""
    found = read_entries([entry(Act.PUBLISH, f"1.{number}") for number in range(5000)])
    assert len(found.releases) == 5000
