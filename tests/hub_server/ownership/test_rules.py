"""When an offer is open, when it may be repeated, and what may be deleted."""

from datetime import UTC, datetime, timedelta

import pytest

from hub_server.ownership.rules import Uses, is_declined_lately, is_offer_open, why_not_deleted

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "uses", "words"),
    [
        (0, Uses(), ""),
        (72, Uses(), ""),
        (72.1, Uses(), "more than 72 hours"),
        (1, Uses(packages=1), "1 package that needs it"),
        (1, Uses(runs=2, cases=1), "2 runs that used it, 1 counter-example against it"),
        (1, Uses(results=1, audits=3), "1 benchmark result on it, 3 grades that rest on it"),
    ],
)
def test_only_what_is_new_and_unused_is_deleted(hours: float, uses: Uses, words: str) -> None:
    said = why_not_deleted(NOW - timedelta(hours=hours), NOW, uses)
    assert words in said
    assert bool(said) == bool(words)


@pytest.mark.parametrize(
    ("state", "days", "is_open"), [("open", 13.9, True), ("open", 14, False), ("accepted", 0, False)]
)
def test_an_offer_is_open_for_two_weeks(state: str, days: float, is_open: bool) -> None:
    assert is_offer_open(state, NOW - timedelta(days=days), NOW) is is_open


@pytest.mark.parametrize(
    ("state", "answered", "lately"),
    [
        ("declined", NOW - timedelta(days=29), True),
        ("declined", NOW - timedelta(days=30), False),
        ("open", None, False),
    ],
)
def test_who_declined_is_left_in_peace_for_a_month(state: str, answered: datetime | None, lately: bool) -> None:
    assert is_declined_lately(state, answered, NOW) is lately
