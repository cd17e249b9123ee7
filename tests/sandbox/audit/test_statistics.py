import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from sandbox.audit.statistics import (
    GRADE_BOUNDS,
    Z_95,
    Outcome,
    cases_needed,
    grade_of,
    measure,
    percent,
    percentile,
    power_hint,
    wilson,
    youden_j,
)
from schemas.audit import Grade


def measured(tp: int = 0, fn: int = 0, tn: int = 0, fp: int = 0, unscored: int = 0):
    return measure(
        [Outcome(True, True)] * tp
        + [Outcome(True, False)] * fn
        + [Outcome(False, False)] * tn
        + [Outcome(False, True)] * fp
        + [Outcome(True, None)] * unscored
    )


def test_the_normal_quantile_is_scipys():
    assert pytest.approx(norm.ppf(0.975), abs=1e-15) == Z_95


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy_and_statsmodels(counts):
    count, total = counts
    low, high = wilson(count, total)
    other = binomtest(count, total).proportion_ci(method="wilson")
    third = proportion_confint(count, total, method="wilson")
    assert (low, high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert (low, high) == pytest.approx(third, abs=1e-12)
    assert low <= count / total <= high


@given(st.integers(1, 400), st.integers(1, 400), st.data())
def test_the_interval_of_j_is_newcombes(positives, negatives, data):
    tp, fp = data.draw(st.integers(0, positives)), data.draw(st.integers(0, negatives))
    found = measured(tp=tp, fn=positives - tp, tn=negatives - fp, fp=fp).j
    low, high = confint_proportions_2indep(tp, positives, fp, negatives, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.value == pytest.approx(tp / positives - fp / negatives)


def test_j_is_unknown_where_a_side_was_not_measured():
    assert measured(tp=5).j is None


def test_without_cases_a_rate_may_be_anything():
    assert wilson(0, 0) == (0.0, 1.0)
    assert measured(tp=3).fpr.value is None
    assert measured(tp=3).fpr.high == 1.0


@pytest.mark.parametrize(("count", "total"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(count, total):
    with pytest.raises(ValueError, match="must lie in"):
        wilson(count, total)


def test_published_figures_are_reproduced():
    """Math-Verify on HardVerify-Math, as published: 97 of 250 rejected, 3 of 250 accepted."""
    found = measured(tp=153, fn=97, tn=247, fp=3)
    assert found.fnr.value == pytest.approx(0.388)
    assert (found.fnr.low, found.fnr.high) == pytest.approx((0.330, 0.450), abs=6e-4)
    assert (found.fpr.low, found.fpr.high) == pytest.approx((0.004, 0.035), abs=6e-4)
    assert youden_j(found) == pytest.approx(1 - 0.388 - 0.012)


def test_what_was_not_judged_is_in_neither_rate():
    found = measured(tp=4, fn=1, tn=5, fp=0, unscored=7)
    assert (found.tp, found.fn, found.tn, found.fp, found.unscored) == (4, 1, 5, 0, 7)
    assert found.fnr.value == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("counts", "grade"),
    [
        ({"tp": 400, "tn": 400}, Grade.A),
        ({"tp": 300, "tn": 300}, Grade.B),
        ({"tp": 60, "tn": 60}, Grade.C),
        ({"tp": 20, "tn": 20}, Grade.D),
        ({"tp": 5, "tn": 5}, Grade.F),
        ({"tp": 1000, "tn": 1000, "fp": 400}, Grade.F),
        ({"tp": 1000}, Grade.UNMEASURED),
        ({"tn": 1000}, Grade.UNMEASURED),
        ({}, Grade.UNMEASURED),
    ],
)
def test_the_grade_is_that_of_the_wider_jaw(counts, grade):
    assert grade_of(measured(**counts)) is grade


def test_a_bad_rate_cannot_hide_behind_an_uncertain_one():
    """FPR is surely about 40 % (a narrow interval); FNR is unknown within 0 to 28 % (a longer one)."""
    found = measured(tp=10, tn=6000, fp=4000)
    assert found.fnr.high - found.fnr.low > found.fpr.high - found.fpr.low
    assert grade_of(found) is Grade.F


@given(st.integers(0, 30), st.sampled_from([bound for _, bound in GRADE_BOUNDS]))
def test_cases_needed_is_the_smallest_number_that_is_enough(errors, bound):
    needed = cases_needed(errors, bound)
    assert wilson(errors, needed)[1] <= bound < wilson(errors, needed - 1)[1]


def test_the_hint_says_how_many_cases_are_missing_and_keeps_its_word():
    hint = power_hint(measured(tp=60, tn=60))
    assert hint.startswith("0 of 60 negatives: FPR below 6.0 %; 321 more negatives for 1 %.")
    assert grade_of(measured(tp=381, tn=60 + 321)) is Grade.A
    assert grade_of(measured(tp=381, tn=60 + 320)) is Grade.B


def test_the_hint_names_a_side_that_nobody_measured():
    assert "no negatives: FPR unknown; 381 negatives without an error for 1 %" in power_hint(measured(tp=60))


def test_the_hint_after_errors_aims_at_the_next_grade():
    found = measured(tp=500, tn=497, fp=3)
    assert found.fpr.high == pytest.approx(0.0175, abs=1e-3)
    more = cases_needed(3, 0.01) - 500
    assert f"3 of 500 negatives: FPR below 1.7 %; {more} more negatives without another error for 1 %" in power_hint(
        found
    )


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0004, "0.04 %"), (0.06, "6.0 %"), (0.124, "12 %"), (1, "100 %"), (0.00961, "1.0 %")],
)
def test_percentages_are_short(share, text):
    assert percent(share) == text


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200), st.floats(0, 1))
def test_percentiles_are_numpys(values, share):
    assert percentile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-9)


def test_there_is_no_percentile_of_nothing():
    assert percentile([], 0.5) is None
