"""What a case earns and costs, from the side of accounts that want standing for nothing or take it from others."""

from typing import Any

import pytest

from hub_server.audits.rules.event_words import agreement_of, counted_words, opposite_words
from hub_server.audits.rules.ledger import LedgerCase, PointChange, change_by, is_confirmed, speakers_of

AT = "2026-11-28T12:00:00+00:00"


def event(what: str, by: str = "hub", reason: str = "") -> dict[str, Any]:
    return {"at": AT, "what": what, "by": by, "reason": reason}


SUBMITTED = event("submitted", "bob")
OVERTURNED = event("overturned", "moda", "it is right")


def case(*events: dict[str, Any], counted_by: str = "moderator", corroborated_by: str = "") -> LedgerCase:
    return LedgerCase("bob", counted_by, corroborated_by, [SUBMITTED, *events])


def points(found: LedgerCase, account: str = "bob") -> int | None:
    change = change_by(found, account)
    return None if change is None else change.points


def counted(by: str) -> dict[str, Any]:
    return event("counted", reason=counted_words(by))


@pytest.mark.parametrize(
    ("counted_by", "corroborated_by", "earned"),
    [
        ("moderator", "", 1),
        ("standing", "moderator", 1),
        ("labels", "verifiers", 1),
        ("standing", "", 0),
        ("labels", "", 0),
        ("labels", "owner", 0),
        ("owner", "", None),
        ("verifiers", "", None),
    ],
)
def test_a_point_takes_a_word_from_outside_of_accounts_of_standing_and_of_the_owner(
    counted_by: str, corroborated_by: str, earned: int | None
) -> None:
    """Two of standing gave it to any number of friends, by cases of a verifier that a friend wrote to be wrong."""
    found = case(counted(counted_by), counted_by=counted_by, corroborated_by=corroborated_by)
    assert points(found) == earned
    assert is_confirmed(found) is (earned == 1)


def test_what_a_moderator_refuses_costs_three_and_what_accounts_of_standing_refuse_costs_nothing() -> None:
    """Two accounts of standing took the points of everybody who contradicted them."""
    assert points(case(counted("moderator"), OVERTURNED, counted_by="")) == -3
    assert points(case(event("relabelled", "moda"))) == -3
    assert points(case(event("overturned", reason="0 of standing for the label, 2 against it"), counted_by="")) is None
    assert points(case(event("overturned", reason=opposite_words("c2", "standing")), counted_by="")) is None
    assert points(case(event("overturned", reason=opposite_words("c2", "moderator")), counted_by="")) == -3
    assert points(case(event("withdrawn", "bob"), counted_by="")) is None, "who takes back an own error loses nothing"


def test_of_many_who_second_before_it_counts_the_first_two_earn() -> None:
    """Nine friends seconded one true case, a moderator too, and three such cases made ten accounts of standing."""
    seconds = [event("seconded", f"friend-{n}") for n in range(9)]
    found = case(*seconds, event("seconded", "moda"), counted("moderator"))
    assert [points(found, f"friend-{n}") for n in range(9)] == [1, 1, *[None] * 7]
    assert points(found) == 1
    refused = case(*seconds, OVERTURNED, counted_by="")
    assert {points(refused, f"friend-{n}") for n in range(9)} == {-3}, "a lie costs everybody who spoke for it"


def test_who_seconds_what_counts_or_is_confirmed_already_risks_nothing_and_earns_nothing() -> None:
    late = event("seconded", "carol")
    assert points(case(counted("moderator"), late), "carol") is None
    between = case(counted("standing"), late, event("corroborated", reason="by moderator"), counted_by="standing",
                   corroborated_by="moderator")  # fmt: skip
    assert points(between, "carol") == 1, "nobody had confirmed it yet"
    own = case(event("seconded", "moda"), counted("moderator"))
    assert points(own, "moda") is None, "nobody confirms an own word"
    owner = case(counted("moderator"), late, event("corroborated", reason="by owner"))
    assert points(owner, "carol") is None


def labelled(*events: dict[str, Any], counted_by: str = "labels", corroborated_by: str = "") -> LedgerCase:
    first = event("labelled", "carol", agreement_of(["bob", "carol"]))
    return LedgerCase("carol", counted_by, corroborated_by, [first, *events])


def test_everybody_who_agreed_on_a_label_gains_once_it_is_confirmed_and_loses_once_it_is_refused() -> None:
    """Only who agreed last stood as its sender: the other liar lost nothing, however often a moderator refused."""
    words = event("counted", reason=counted_words("labels", "bob, carol"))
    confirmed = labelled(words, event("corroborated", reason="by moderator"), corroborated_by="moderator")
    for found, change in ((labelled(words), 0), (confirmed, 1), (labelled(words, OVERTURNED, counted_by=""), -3)):
        assert [points(found, name) for name in ("bob", "carol", "dora")] == [change, change, None]
        assert speakers_of(found) == {"bob", "carol"}


def test_who_labelled_what_somebody_had_submitted_before_answers_for_it_too() -> None:
    """The lie was submitted as a counter-example first, and then agreed on: its labellers stood nowhere."""
    words = event("counted", reason=counted_words("labels", "carol, dora"))
    assert points(case(words, counted_by="labels"), "dora") == 0
    assert points(case(words, OVERTURNED, counted_by=""), "dora") == -3


def test_a_change_says_when_and_why() -> None:
    found = change_by(case(counted("moderator")), "bob")
    assert isinstance(found, PointChange)
    assert (found.at.isoformat(), found.why) == (AT, "a moderator confirmed its label")


def test_a_case_from_before_histories_were_kept_says_nothing() -> None:
    assert change_by(LedgerCase("bob", "standing", "", []), "bob") is None
