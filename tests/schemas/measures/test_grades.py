"""Grades: the larger upper bound decides, and the hint about more cases keeps its word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evidence.rates import Grade
from schemas.measures.grades import (
    GRADE_BOUNDS,
    cases_needed,
    grade_of,
    grade_within,
    others_cases_words,
    own_cases_words,
    percent,
    power_hint,
    thin_words,
)
from schemas.measures.intervals import wilson
from tests.schemas.measures.counts import measured


@pytest.mark.parametrize(
    ("counts", "grade"),
    [
        ({"tp": 400, "tn": 400}, Grade.A),
        ({"tp": 300, "tn": 300}, Grade.B),
        ({"tp": 60, "tn": 60}, Grade.C),
        ({"tp": 20, "tn": 20}, Grade.D),
        ({"tp": 9, "tn": 9}, Grade.D),
        ({"tp": 8, "tn": 400}, Grade.UNMEASURED),
        ({"tp": 4, "fn": 4, "tn": 400}, Grade.UNMEASURED),
        ({"tp": 1, "fn": 7, "tn": 400}, Grade.F),
        ({"tp": 8, "tn": 60, "fp": 40}, Grade.F),
        ({"tn": 60, "fp": 40}, Grade.F),
        ({"tp": 60, "tn": 100, "fp": 12}, Grade.D),
        ({"tp": 1000, "tn": 1000, "fp": 400}, Grade.F),
        ({"tp": 1000}, Grade.UNMEASURED),
        ({"tn": 1000}, Grade.UNMEASURED),
        ({}, Grade.UNMEASURED),
    ],
)
def test_the_grade_is_that_of_the_higher_bound(counts, grade):
    assert grade_of(measured(**counts)) is grade


def test_a_bad_rate_cannot_hide_behind_an_uncertain_one():
    """FPR is surely about 40 % (a narrow interval); FNR is unknown within 0 to 28 % (a longer one)."""
    found = measured(tp=10, tn=6000, fp=4000)
    assert found.fnr.high - found.fnr.low > found.fpr.high - found.fpr.low
    assert grade_of(found) is Grade.F


def test_each_bound_belongs_to_its_grade_and_above_the_last_is_f():
    assert [grade_within(bound) for _, bound in GRADE_BOUNDS] == [grade for grade, _ in GRADE_BOUNDS]
    assert [grade_within(bound + 1e-9) for _, bound in GRADE_BOUNDS] == [Grade.B, Grade.C, Grade.D, Grade.F]


@given(st.integers(0, 30), st.sampled_from([bound for _, bound in GRADE_BOUNDS]))
def test_cases_needed_is_the_smallest_number_that_is_enough(errors, bound):
    needed = cases_needed(errors, bound)
    assert wilson(errors, needed)[1] <= bound < wilson(errors, needed - 1)[1]


def test_the_hint_says_how_many_cases_are_missing_and_keeps_its_word():
    hint = power_hint(measured(tp=60, tn=60))
    assert hint.startswith(
        "0 of 60 wrong answers were accepted: the true rate may be as high as 6.0 %. "
        "Label 321 more wrong answers: if none of them is accepted, the rate is at most 1 %. 0 of 60 right answers were rejected"
    )
    assert grade_of(measured(tp=381, tn=60 + 321)) is Grade.A
    assert grade_of(measured(tp=381, tn=60 + 320)) is Grade.B


def test_the_hint_names_a_side_that_nobody_measured():
    assert power_hint(measured(tp=60)).startswith(
        "No wrong answer is labelled, so nobody knows how many are accepted: label 381 of them; "
        "if none is accepted, the rate is at most 1 %. 0 of 60 right answers"
    )


def test_the_hint_after_errors_aims_at_the_next_grade():
    found = measured(tp=500, tn=497, fp=3)
    assert found.fpr.high == pytest.approx(0.0175, abs=1e-3)
    more = cases_needed(3, 0.01) - 500
    assert power_hint(found).startswith(
        "3 of 500 wrong answers were accepted: the true rate may be as high as 1.7 %. "
        f"Label {more} more wrong answers: if none of them is accepted, the rate is at most 1 %."
    )


def test_the_hint_does_not_call_accepted_what_nobody_could_judge():
    """A package that could not be loaded: "10 of 10 wrong answers were accepted"."""
    hint = power_hint(measured(fp=10, fn=10), holds_unjudged=True)
    assert hint.startswith("10 of 10 wrong answers were accepted or not judged: ")
    assert "10 of 10 right answers were rejected or not judged: " in hint


def test_the_hint_speaks_of_one_case_as_of_one():
    assert "0 of 1 wrong answer was accepted" in power_hint(measured(tp=1, tn=1))
    assert "1 of 2 right answers was rejected" in power_hint(measured(tp=1, fn=1))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0004, "0.04 %"), (0.06, "6.0 %"), (0.124, "12 %"), (1, "100 %"), (0.00961, "1.0 %")],
)
def test_percentages_are_short(share, text):
    assert percent(share) == text


def test_nobody_measured_is_not_a_grade():
    assert grade_of(None) is Grade.UNMEASURED


@pytest.mark.parametrize(
    ("share", "text"), [(0.0104, "1.04 %"), (0.00004, "0.004 %"), (0.9997, "99.97 %"), (0.0, "0 %"), (1.0, "100 %")]
)
def test_a_printed_rate_earns_the_grade_of_the_exact_one(share, text):
    assert percent(share) == text


def test_no_deletion_of_cases_turns_a_certain_f_into_u():
    """Of a verifier in F, whatever share of its right verdicts on either side is left out, it stays in F."""
    for kept_right in range(0, 61, 5):
        assert grade_of(measured(tp=kept_right, tn=30, fp=30)) is Grade.F
    for kept_wrong in range(31):
        assert grade_of(measured(tp=60, tn=kept_wrong, fp=30)) is Grade.F


@pytest.mark.parametrize("tries", range(9, 60))
def test_u_is_given_only_where_no_evidence_of_that_size_could_earn_a_grade(tries):
    assert Grade.UNMEASURED not in {grade_of(measured(tp=400, tn=tries - n, fp=n)) for n in range(tries + 1)}


def test_what_is_missing_is_said_for_each_side():
    assert thin_words(measured(tp=9, tn=9)) == []
    assert thin_words(measured(tp=9, tn=1))[0].startswith(
        "More wrong answers: there is 1, and any grade takes at least 9 that are"
    )


def test_an_author_with_few_cases_is_told_how_many_more_keep_the_promise():
    (said,) = own_cases_words(measured(tp=10, tn=20), Grade.C)
    assert said.startswith("Label 25 more right answers and 15 more wrong answers, in other forms")
    assert grade_of(measured(tp=34, tn=35)) is Grade.D
    assert grade_of(measured(tp=35, tn=35)) is Grade.C
    assert own_cases_words(measured(tp=34, tn=35), Grade.C)[0].startswith("Label 1 more right answer, in")


def test_who_is_judged_by_others_cases_is_told_how_many_more_the_next_grade_takes():
    (said,) = others_cases_words(measured(tp=120, tn=400), Grade.C)
    assert said.startswith("5 more right answers of others, without an error among them")
    assert "(B takes at most 3 %)" in said
    assert grade_of(measured(tp=125, tn=400)) is Grade.B
    (said,) = others_cases_words(measured(tp=60, tn=100, fp=1), Grade.C)
    assert said.startswith("65 more right answers and 84 more wrong answers")
    assert grade_of(measured(tp=125, tn=184, fp=1)) is Grade.B


@pytest.mark.parametrize(
    ("counts", "letter", "said"),
    [
        ({"tn": 60, "fp": 40}, Grade.F, "40 % of wrong answers are accepted, and D takes at most 30 %."),
        ({"tp": 60, "tn": 100, "fp": 12}, Grade.D, "11 % of wrong answers are accepted, and C takes at most 10 %."),
    ],
)
def test_who_errs_too_often_is_sent_to_the_failures_and_not_for_more_cases(counts, letter, said):
    assert others_cases_words(measured(**counts), letter) == [f"Read the failures in the audit and mend them: {said}"]


@pytest.mark.parametrize(
    ("counts", "letter"),
    [({"tp": 400, "tn": 400}, Grade.A), ({"tp": 400, "tn": 400}, Grade.C), ({}, Grade.UNMEASURED)],
)
def test_more_cases_of_others_are_not_asked_for_where_they_would_not_help(counts, letter):
    assert others_cases_words(measured(**counts), letter) == []


@pytest.mark.parametrize("counts", [{"tp": 35, "tn": 35}, {"tp": 10, "tn": 9, "fp": 1}, {"tp": 4, "tn": 4}, {"tn": 40}])
def test_more_cases_are_not_asked_for_where_they_would_not_help(counts):
    assert own_cases_words(measured(**counts), Grade.C) == []
