"""Intervals and changes against scipy and against what they must do."""

import numpy as np
import pytest
from scipy import stats

from trainer_bridge.intervals import is_outside_noise, mean_interval, paired_change


@pytest.mark.parametrize(("right", "count"), [(0, 10), (7, 10), (64, 64), (1, 300)])
def test_shares_get_wilsons_interval(right, count):
    mean = mean_interval(np.array([1.0] * right + [0.0] * (count - right)))
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    assert (mean.value, mean.low, mean.high) == pytest.approx((right / count, expected.low, expected.high))


def test_other_values_get_a_bootstrap_close_to_the_normal_interval():
    values = np.random.default_rng(1).normal(3.0, 2.0, size=200)
    mean = mean_interval(values)
    spread = 1.96 * values.std(ddof=1) / np.sqrt(200)
    assert (mean.low, mean.high) == pytest.approx((values.mean() - spread, values.mean() + spread), abs=0.05)
    assert mean == mean_interval(values)


def test_what_was_not_judged_is_left_out_and_nothing_judged_is_nan():
    assert mean_interval(np.array([0.5, np.nan, 0.7])).count == 2
    nothing = mean_interval(np.array([np.nan]))
    assert nothing.count == 0
    assert np.isnan(nothing.value)


def test_a_paired_change_sees_what_two_intervals_hide():
    before = np.random.default_rng(2).uniform(0, 1, size=50)
    small = paired_change(before, before + 0.05)
    assert is_outside_noise(small)
    assert mean_interval(before).high > mean_interval(before + 0.05).low
    assert not is_outside_noise(paired_change(before, np.random.default_rng(3).permutation(before)))
    assert is_outside_noise(paired_change(before, before - 0.1))
    assert not is_outside_noise(paired_change(np.array([0.1]), np.array([0.9])))
