"""The confusion matrix and Youden's J against statsmodels and published figures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from schemas.measures.confusion import youden_j
from tests.schemas.measures.counts import measured


@given(st.integers(1, 400), st.integers(1, 400), st.data())
def test_the_interval_of_j_is_newcombes(positives, negatives, data):
    tp, fp = data.draw(st.integers(0, positives)), data.draw(st.integers(0, negatives))
    found = measured(tp=tp, fn=positives - tp, tn=negatives - fp, fp=fp).j
    low, high = confint_proportions_2indep(tp, positives, fp, negatives, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.value == pytest.approx(tp / positives - fp / negatives)


def test_j_is_unknown_where_a_side_was_not_measured():
    assert measured(tp=5).j is None


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
