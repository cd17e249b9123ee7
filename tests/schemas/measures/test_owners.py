"""One owner of an easy suite, from the side of somebody who has such a friend."""

from dataclasses import replace

import pytest

from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome
from schemas.measures.evidence import grade_evidence
from schemas.measures.owners import HUB, by_owners
from schemas.measures.seen import Seen
from scripts.simulate_dilution import keeps_a, reaches_a


def of(owner, count, wrong=0, origin=Origin.HELD):
    suite = f"{owner}/numbers" if origin in (Origin.HELD, Origin.SUITE) else ""
    return [
        Seen(Outcome(must, must != (n < wrong and not must)), origin, first_look=True, suite=suite, owner=owner)
        for must in (True, False)
        for n in range(count)
    ]


def letter(seen):
    return grade_evidence(seen, (), None)


def test_one_owner_is_worth_no_more_than_the_author_however_many_cases_and_suites_are_theirs():
    grade, found = letter([*of("friend", 800), *(replace(one, suite="friend/more") for one in of("friend", 800))])
    assert grade is Grade.C
    assert found.capped == ["All suites are of one owner: a B takes as many cases of others as prove a C."]
    assert "125 independent ones on each side" in found.missing[-1]


def test_whom_the_operator_named_makes_a_b_alone_and_no_a():
    grade, found = letter(of(HUB, 800))
    assert grade is Grade.B
    assert found.capped == ["All suites are of one owner: an A takes as many cases of others as prove a B."]
    assert letter([*of(HUB, 800), *of("bo", 125)])[0] is Grade.A


@pytest.mark.parametrize(
    ("count", "wrong", "expected"),
    [(34, 0, Grade.C), (35, 0, Grade.B), (124, 0, Grade.B), (125, 0, Grade.A), (125, 1, Grade.B), (200, 1, Grade.A)],
)
def test_what_a_second_owner_s_cases_must_prove(count, wrong, expected):
    assert letter([*of("friend", 800), *of("bo", count, wrong)])[0] is expected


def test_three_owners_of_whom_any_two_prove_a_b_make_an_a():
    assert letter([*of("al", 400), *of("bo", 63), *of("cy", 63)])[0] is Grade.A


def test_rollouts_and_counter_examples_make_no_second_owner():
    """A friend who has a suite can label rollouts and second counter-examples as well."""
    for origin in (Origin.ROLLOUT, Origin.COMMUNITY):
        assert letter([*of("friend", 800), *of("", 400, origin=origin)])[0] is Grade.C
        assert letter([*of(HUB, 800), *of("", 400, origin=origin)])[0] is Grade.B
    grade, found = letter(of("", 800, origin=Origin.ROLLOUT))
    assert (grade, found.capped) == (Grade.B, ["No suite is among the evidence: without one, the grade is at most B."])


def test_a_second_owner_s_one_form_in_many_copies_is_one_case():
    one_form = [replace(one, outcome=replace(one.outcome, groups=(None, "form"))) for one in of("sock-puppet", 400)]
    assert letter([*of("friend", 800), *one_form])[0] is Grade.C


def test_what_the_second_owner_s_cases_leave_unjudged_counts_against_an_a():
    silent = [
        replace(one, outcome=replace(one.outcome, accepted=None)) if n % 10 == 0 else one
        for n, one in enumerate(of("suites", 150))
    ]
    assert by_owners(Grade.A, [*of("friend", 800), *silent])[0] is not Grade.A


@pytest.mark.parametrize("size", [0, 35, 124, 150])
@pytest.mark.parametrize("rate", [0.035, 0.05, 0.11])
def test_a_friend_s_easy_suite_makes_no_a_of_a_bad_verifier(size, rate):
    assert reaches_a(size, rate, 400) <= 0.01


def test_without_the_rule_a_friend_decided_alone():
    assert reaches_a(0, 0.11, 10, owners=1) == 1.0


def test_an_honest_verifier_keeps_its_a_with_two_owners():
    assert keeps_a(500, 130, 0.0, 10) == 1.0
    assert keeps_a(500, 300, 0.001, 300) >= 0.9 * keeps_a(500, 300, 0.001, 300, owners=1)
