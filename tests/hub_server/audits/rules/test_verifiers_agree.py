"""Other people's verifiers second a case only as independent owners, and only as much as their rates are worth."""

from random import Random

import pytest

from hub_server.audits.rules.verifiers_agree import Voice, are_enough, owners_among
from schemas.measures.confusion import Outcome, measure

GOOD = measure([Outcome(must, must) for must in (True, False) for _ in range(200)])
"""At most 1.9 % on either side: a B."""
FAIR = measure([Outcome(must, must) for must in (True, False) for _ in range(35)])
"""At most 9.9 %: a C, barely."""


def voice(name, *people, accepted=False, measured=GOOD, alike=()):
    return Voice(name, accepted, measured, frozenset(people), frozenset(alike))


def test_two_owners_with_good_verifiers_are_enough_and_one_is_not() -> None:
    assert are_enough([voice("a", "ann"), voice("b", "bob")], is_right=False)
    assert not are_enough([voice("a", "ann")], is_right=False)
    assert not are_enough([], is_right=False)


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
