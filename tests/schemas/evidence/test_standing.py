"""An account's standing as it goes over the wire: newer hubs may say more, and ranks are those that there are."""

import pytest
from pydantic import ValidationError

from schemas.evidence.standing import Standing

QUOTAS = {"waiting": 5, "cases": 40, "labels": 50, "words": 10}
WIRE = {
    "account": "bob",
    "points": 0,
    "has_standing": False,
    "rank": "new",
    "missing": 3,
    "waiting": 0,
    "quotas": QUOTAS,
    "items": [{"at": "2026-11-28T12:00:00Z", "points": -3, "why": "a moderator refused its label"}],
}


def test_what_a_newer_hub_adds_is_passed_over() -> None:
    found = Standing.read({**WIRE, "quotas": {**QUOTAS, "more": 1}, "later": True})
    assert (found.items[0].points, found.items[0].case, found.next) == (-3, "", None)


def test_a_rank_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValidationError):
        Standing.read({**WIRE, "rank": "king"})
