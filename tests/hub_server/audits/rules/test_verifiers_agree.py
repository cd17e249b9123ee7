"""Other people's verifiers second a case only as independent owners, and only as much as their rates are worth."""

from random import Random

import pytest

from hub_server.audits.rules.verifiers_agree import Voice, are_enough, control_of, owners_among
from schemas.evidence.cases import AuditCase
from schemas.measures.confusion import Outcome, measure

GOOD = measure([Outcome(must, must) for must in (True, False) for _ in range(200)])
"""At most 1.9 % on either side: a B."""
FAIR = measure([Outcome(must, must) for must in (True, False) for _ in range(35)])
"""At most 9.9 %: a C, barely."""


def voice(name, *people, accepted=False, measured=GOOD, alike=(), is_named=True):
    return Voice(name, accepted, measured, frozenset(people), frozenset(alike), is_named)


def test_two_owners_with_good_verifiers_are_enough_and_one_is_not() -> None:
    assert are_enough([voice("a", "ann"), voice("b", "bob")], is_right=False)
    assert not are_enough([voice("a", "ann")], is_right=False)
    assert not are_enough([], is_right=False)


def test_any_number_of_owners_whom_nobody_named_is_not_enough() -> None:
    strangers = [voice(name, name, is_named=False) for name in "abcdefghij"]
    assert not are_enough(strangers, is_right=False)
    assert are_enough([*strangers, voice("z", "zoe")], is_right=False)
    assert not are_enough([*strangers, voice("z", "zoe", accepted=True)], is_right=False)


def test_one_that_says_the_opposite_stops_all() -> None:
    many = [voice(name, name) for name in "abcdef"]
    assert not are_enough([*many, voice("g", "gil", accepted=True)], is_right=False)
    assert not are_enough(many, is_right=True)


@pytest.mark.parametrize("count", [2, 10, 50])
def test_packages_of_one_account_and_of_its_organisation_count_as_one(count: int) -> None:
    mine = [voice(f"p{n}", "mallory" if n % 2 else "lab", "mallory") for n in range(count)]
    assert len(owners_among(mine)) == 1
    assert not are_enough(mine, is_right=False)


def test_two_accounts_that_share_a_person_by_way_of_a_third_are_one() -> None:
    chain = [voice("a", "ann", "lab"), voice("c", "cy", "club"), voice("b", "lab", "club")]
    for order in (chain, chain[::-1], [chain[1], chain[0], chain[2]]):
        assert len(owners_among(order)) == 1


def test_copies_of_one_verifier_by_ten_accounts_are_one() -> None:
    copies = [voice(f"p{n}", f"sock{n}", alike={"p0"} if n else {f"p{m}" for m in range(10)}) for n in range(10)]
    assert len(owners_among(copies)) == 1
    assert not are_enough(copies, is_right=False)


def test_verifiers_weigh_what_their_rates_are_worth_at_worst() -> None:
    fair = [voice(name, name, measured=FAIR) for name in "abc"]
    assert not are_enough(fair[:2], is_right=False)
    assert are_enough(fair, is_right=False)
    blind = measure([Outcome(must_accept=must, accepted=False) for must in (True, False) for _ in range(500)])
    none = [voice(name, name, measured=blind) for name in "abcdefgh"]
    assert not are_enough(none, is_right=False), "what rejects everything tells nothing by rejecting"


def test_what_accepts_everything_is_no_second_owner() -> None:
    """Beside one good verifier that errs on the very case, an attacker's own agreed, and two owners were enough."""
    everything = measure([Outcome(must_accept=must, accepted=True) for must in (True, False) for _ in range(500)])
    perfect = measure([Outcome(must, must) for must in (True, False) for _ in range(2000)])
    echo = [voice(name, name, accepted=True, measured=everything) for name in "cde"]
    assert not are_enough([voice("a", "ann", accepted=True, measured=perfect), *echo], is_right=True)


@pytest.mark.parametrize(
    ("answer", "response", "control"),
    [
        (2, "I say 3.", "I say 2."),
        ("2", "2 or 3", "2 or 2"),
        (2, "zwei", None),
        ("Rome", "It is 3", None),
        ("1/2", "It is 3", None),
        (2.5, "-3.5e", "2.5e"),
        (None, "3", None),
    ],
)
def test_who_can_read_the_response_accepts_it_with_the_right_number(answer, response, control) -> None:
    case = AuditCase(id="c", task={"id": "t", "answer": answer}, response=response, label="incorrect")
    found = control_of(case)
    assert (found and found.response) == control


def test_an_owners_weak_verifier_is_not_hidden_by_a_good_one() -> None:
    weak = measure([Outcome(must, must) for must in (True, False) for _ in range(5)])
    assert not are_enough(
        [voice("a", "ann"), voice("a2", "ann", measured=weak), voice("b", "bob", measured=weak)], is_right=False
    )


def test_honest_verifiers_second_a_wrong_label_less_often_than_once_in_a_hundred() -> None:
    """Independent verifiers at the worst rates of a B (3 % on either side), two to six of them, against a lie."""
    random, seconded, tries = Random(5), 0, 20_000
    for _ in range(tries):
        told = [random.random() < 0.03 for _ in range(random.randint(2, 6))]  # wrongly says what the lie says
        seconded += are_enough([voice(f"v{n}", f"o{n}", accepted=one) for n, one in enumerate(told)], is_right=True)
    assert seconded / tries < 0.01
