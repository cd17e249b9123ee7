"""Whose cases carry a grade, from the side of somebody who has friends, or makes accounts."""

from dataclasses import replace

import pytest

from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome
from schemas.measures.evidence import grade_evidence
from schemas.measures.grades import place_of
from schemas.measures.owners import HUB, by_owners
from schemas.measures.seen import Seen
from scripts.simulate_dilution import bought, keeps


def of(owner, count, wrong=0, origin=Origin.HELD, *, first=True):
    suite = f"{owner}/numbers" if origin in (Origin.HELD, Origin.SUITE) else ""
    return [
        Seen(Outcome(must, must != (n < wrong and not must)), origin, first_look=first, suite=suite, owner=owner)
        for must in (True, False)
        for n in range(count)
    ]


def letter(seen):
    return grade_evidence(seen, (), None)


@pytest.mark.parametrize("friends", [1, 2, 10])
def test_friends_are_worth_no_more_than_the_author_however_many_they_and_their_cases_are(friends):
    grade, found = letter([one for n in range(friends) for one in of(f"friend-{n}", 800 // friends)])
    assert grade is Grade.C
    assert found.capped == ["None of the cases is the hub's own: without them the grade is at most C."]
    assert "125 independent ones a side" in found.missing[-1]


def test_whom_the_operator_named_makes_a_b_alone_and_no_a():
    grade, found = letter(of(HUB, 800))
    assert grade is Grade.B
    assert found.capped == ["Without the hub's own cases, other owners' suites do not prove a B: at most B."]
    assert found.missing == ["An A takes suites of another owner than the hub: 125 independent cases a side."]
    assert letter([*of(HUB, 800), *of("bo", 125)])[0] is Grade.A


@pytest.mark.parametrize(
    ("count", "wrong", "expected"),
    [
        (8, 0, Grade.C),
        (34, 0, Grade.C),
        (35, 0, Grade.B),
        (124, 0, Grade.B),
        (125, 0, Grade.A),
        (125, 1, Grade.B),
        (200, 1, Grade.A),
    ],
)
def test_others_lift_a_grade_by_one_letter_over_what_the_hub_s_own_cases_prove(count, wrong, expected):
    assert letter([*of("friend", 800), *of("puppet", 800), *of(HUB, count, wrong)])[0] is expected


@pytest.mark.parametrize(("count", "expected"), [(124, Grade.B), (125, Grade.A)])
def test_what_the_others_must_prove_for_an_a_together(count, expected):
    half = count // 2
    assert letter([*of(HUB, 800), *of("al", half), *of("bo", count - half)])[0] is expected


def test_one_side_of_the_hub_s_is_no_evidence_for_the_other():
    right_alone = [one for one in of(HUB, 800) if one.outcome.must_accept]
    assert letter([*right_alone, *of("friend", 800), *of("puppet", 800)])[0] is Grade.C


def test_rollouts_and_counter_examples_carry_nothing():
    """Friends who have suites can label rollouts and second counter-examples as well."""
    for origin in (Origin.ROLLOUT, Origin.COMMUNITY):
        assert letter([*of("friend", 800), *of("", 400, origin=origin)])[0] is Grade.C
        assert letter([*of(HUB, 800), *of("", 400, origin=origin)])[0] is Grade.B
        assert letter(of("", 800, origin=origin))[0] is Grade.C


def test_many_copies_of_one_form_are_one_case_whosever_they_are():
    for owner, other in ((HUB, "bo"), ("bo", HUB)):
        one_form = [replace(one, outcome=replace(one.outcome, groups=(None, "form"))) for one in of(owner, 400)]
        assert letter([*of(other, 800), *one_form])[0] is (Grade.B if other == HUB else Grade.C)


def test_what_the_hub_s_cases_leave_unjudged_counts():
    silent = [
        replace(one, outcome=replace(one.outcome, accepted=None)) if n % 10 == 0 else one
        for n, one in enumerate(of(HUB, 150))
    ]
    assert by_owners(Grade.A, [*of("friend", 800), *silent]).grade is not Grade.A


def test_an_a_takes_new_cases_of_the_hub_s_own_and_not_of_friends_alone():
    """Or whoever knows the hub's published suite by heart would have an A as soon as two friends make new cases."""
    known = of(HUB, 500, origin=Origin.SUITE, first=False)
    friends = [*of("friend", 800), *of("puppet", 800)]
    grade, found = letter([*known, *friends])
    assert grade is Grade.B
    assert "fewer than 20 a side" in found.capped[0]
    assert letter([*known, *friends, *of(HUB, 20)])[0] is Grade.A


def test_a_worse_letter_is_nobody_s_to_carry():
    for bad in (Grade.C, Grade.D, Grade.F, Grade.UNMEASURED):
        assert by_owners(bad, of("friend", 100)) == (bad, "", "")


@pytest.mark.parametrize("size", [9, 34, 125, 400])
@pytest.mark.parametrize("wrong", [0, 1, 3, 8])
def test_however_many_friends_there_are_they_lift_by_one_letter_at_most(size, wrong):
    alone = letter(of(HUB, size, wrong))[0]
    beside = letter([*of(HUB, size, wrong), *(one for n in range(4) for one in of(f"friend-{n}", 150))])[0]
    assert place_of(beside) >= min(place_of(alone) - 1, place_of(Grade.C))


@pytest.mark.parametrize("rate", [0.11, 0.2, 0.35])
def test_friends_with_easy_suites_make_no_b_of_a_bad_verifier(rate):
    found = bought(35, rate, 100, friends=2)
    assert found.plain <= found.diluted < 0.2


def test_without_the_rule_two_friends_decided_alone():
    assert (bought(0, 0.11, 10, friends=2).diluted, bought(0, 0.02, 10, friends=2).plain) == (1.0, 0.0)


def test_an_honest_verifier_keeps_its_a():
    assert keeps(500, 130, 0.0, 10).plain == 1.0
    found = keeps(300, 200, 0.001, 60)
    assert found.plain >= 0.9 * found.diluted > 0
