"""Intervals against scipy and statsmodels, and by simulation: how often they hold the truth, and that none is empty."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm
from scipy.stats import t as student
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from schemas.measures.corrected import Observed, observed_interval
from schemas.measures.intervals import (
    Z_95,
    difference,
    effective_tries,
    mean_interval,
    paired_interval,
    rate,
    t_95,
    wilson,
)

COUNTS = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
SHARES = st.lists(st.integers(0, 1000).map(lambda number: number / 1000), min_size=1, max_size=60)


def test_the_normal_quantile_is_scipys():
    assert pytest.approx(norm.ppf(0.975), abs=1e-15) == Z_95


@pytest.mark.parametrize(("degrees", "error"), [(2, 0.05), (3, 5e-3), (5, 5e-4), (10, 1e-4), (1000, 1e-9)])
def test_the_quantile_of_t_is_scipys(degrees, error):
    assert t_95(degrees) == pytest.approx(float(student.ppf(0.975, degrees)), abs=error)


@given(COUNTS)
def test_wilson_agrees_with_scipy_and_statsmodels(counts):
    count, total = counts
    low, high = wilson(count, total)
    other = binomtest(count, total).proportion_ci(method="wilson")
    third = proportion_confint(count, total, method="wilson")
    assert (low, high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert (low, high) == pytest.approx(third, abs=1e-12)
    assert low <= count / total <= high


def test_without_cases_a_rate_may_be_anything():
    assert wilson(0, 0) == (0.0, 1.0)
    assert rate(0, 0).value is None


@pytest.mark.parametrize(("count", "total"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(count, total):
    with pytest.raises(ValueError, match="must lie in"):
        wilson(count, total)


@given(COUNTS, COUNTS)
def test_a_difference_of_two_shares_is_newcombes(first, second):
    found = difference(rate(*first), rate(*second))
    low, high = confint_proportions_2indep(*first, *second, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert found.high > found.low


def test_a_difference_from_nothing_is_unknown():
    assert difference(rate(1, 2), rate(0, 0)) is None


@given(COUNTS)
def test_a_mean_of_yes_and_no_is_wilsons(counts):
    successes, count = counts[0] % 40, counts[1] % 40
    successes, count = min(successes, count), max(count, 1)
    found = mean_interval([1.0] * successes + [0.0] * (count - successes))
    assert (found.low, found.high) == pytest.approx(wilson(successes, count), abs=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("count", [1, 2, 6, 500])
def test_tasks_that_all_agree_leave_an_interval(value, count):
    """Nobody knows the seventh task when six say the same."""
    found = mean_interval([value] * count)
    assert found.low <= value <= found.high
    assert found.high - found.low > 0.5 / count


def test_six_failures_in_six_are_not_zero_to_zero():
    assert mean_interval([0.0] * 6).high == pytest.approx(proportion_confint(0, 6, method="wilson")[1])
    assert mean_interval([0.0] * 6).high > 0.35


@given(SHARES)
def test_no_mean_has_an_empty_interval(shares):
    found = mean_interval(shares)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 0.2 / len(shares)


@given(SHARES)
def test_no_difference_has_an_empty_interval(shares):
    found = paired_interval([share - 0.5 for share in shares], largest=0.5)
    assert -0.5 <= found.low <= found.value <= found.high <= 0.5
    assert found.high > found.low


@given(SHARES, st.floats(-100, 100), st.floats(0.1, 100))
def test_a_mean_in_other_units_is_the_same_mean(shares, low, width):
    plain = mean_interval(shares)
    other = mean_interval([low + width * share for share in shares], low, low + width)
    for name in ("value", "low", "high"):
        assert getattr(other, name) == pytest.approx(low + width * getattr(plain, name), abs=1e-6 * width + 1e-9)


def test_nothing_has_no_mean():
    for function in (mean_interval, paired_interval, effective_tries):
        with pytest.raises(ValueError, match="at least one task"):
            function([])
    with pytest.raises(ValueError, match="cannot vary"):
        mean_interval([1.0], 1.0, 1.0)


MEANS = {
    "yes or no, rarely": lambda random, n: (random.random(n) < 0.1).astype(float),
    "yes or no": lambda random, n: (random.random(n) < 0.6).astype(float),
    "spread": lambda random, n: random.beta(2, 2, n),
    "alike": lambda random, n: random.beta(20, 20, n),
    "at the edges": lambda random, n: random.beta(0.5, 0.5, n),
    "near one": lambda random, n: random.beta(8, 1, n),
    "eight tries each": lambda random, n: random.binomial(8, 0.3, n) / 8,
}


@pytest.mark.parametrize("kind", MEANS)
@pytest.mark.parametrize("count", [3, 12, 100])
def test_means_are_held_by_their_intervals(kind, count):
    draw, random = MEANS[kind], np.random.default_rng(7)
    truth = draw(random, 400_000).mean()
    found = [mean_interval(draw(random, count).tolist()) for _ in range(500)]
    assert sum(one.low <= truth <= one.high for one in found) / 500 > 0.89


DIFFERENCES = {
    "nothing changes": lambda random, n: np.zeros(n),
    "as often up as down": lambda random, n: (random.random(n) < 0.3) * 1.0 - (random.random(n) < 0.3),
    "hardly ever": lambda random, n: (random.random(n) < 0.1) * 1.0 - (random.random(n) < 0.1),
    "mostly up": lambda random, n: (random.random(n) < 0.9) * 1.0,
    "a little up": lambda random, n: np.clip(random.normal(0.05, 0.1, n), -1, 1),
}


@pytest.mark.parametrize("kind", DIFFERENCES)
@pytest.mark.parametrize("count", [2, 4, 8, 48])
def test_changes_are_held_by_their_intervals(kind, count):
    draw, random = DIFFERENCES[kind], np.random.default_rng(8)
    truth = draw(random, 400_000).mean()
    found = [paired_interval(draw(random, count).tolist()) for _ in range(500)]
    assert sum(one.low <= truth <= one.high for one in found) / 500 > 0.92


@pytest.mark.parametrize("count", [2, 4, 8, 16])
def test_chance_is_not_called_a_change(count):
    """Answers that are right or wrong by a coin, before and after: at most one run in twenty may look changed."""
    random = np.random.default_rng(9)
    rounds = 1000
    changed = 0
    for _ in range(rounds):
        found = paired_interval(((random.random(count) < 0.5) * 1.0 - (random.random(count) < 0.5)).tolist())
        changed += found.low > 0 or found.high < 0
    assert changed / rounds <= 0.06


def test_two_tasks_that_both_improved_prove_nothing():
    found = paired_interval([1.0, 1.0])
    assert found.low < 0


def test_forty_tasks_that_all_improved_a_little_do():
    found = paired_interval([0.05] * 40)
    assert 0.03 < found.low < 0.05
    assert found.value == pytest.approx(0.05)


@given(SHARES)
def test_tries_count_from_the_tasks_to_the_attempts(shares):
    assert len(shares) <= effective_tries(shares)
    assert effective_tries(shares, most=3 * len(shares)) <= 3 * len(shares)


@pytest.mark.parametrize("tries", [5, 20, 100, 1000])
@pytest.mark.parametrize("share", [0.005, 0.02, 0.1, 0.5])
def test_wilson_covers_as_often_as_its_docstring_says(share, tries):
    """Exactly, by the binomial distribution, with scipy."""
    chances = binom.pmf(np.arange(tries + 1), tries, share)
    low, high = np.array([wilson(count, tries) for count in range(tries + 1)]).T
    held, from_above = chances[(low <= share) & (share <= high)].sum(), chances[share <= high].sum()
    assert held >= (0.93 if share * tries >= 1 else 0.90)
    assert from_above >= (0.97 if share < 0.5 else 0.965)  # what a grade reads


@pytest.mark.parametrize(("tasks", "cases"), [(20, 5), (20, 20), (100, 10)])
@pytest.mark.parametrize("alike", [0.1, 0.3])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_attempts_that_resemble_each_other_are_not_counted_one_by_one(share, alike, tasks, cases):
    """Beta-distributed tasks with an intraclass correlation of ``alike``; counted one by one: 53 to 91 in 100."""
    random = np.random.default_rng(tasks * cases)
    scale, hits = (1 - alike) / alike, 0
    for own in random.beta(share * scale, (1 - share) * scale, (150, tasks)):
        solved = random.binomial(cases, own)
        found = observed_interval(Observed.of({task: (int(count), cases) for task, count in enumerate(solved)}))
        hits += found.low <= share <= found.high
    assert hits >= 0.87 * 150


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_gets_no_interval(odd):
    with pytest.raises(ValueError, match="must"):
        wilson(0, odd)
    for of in (effective_tries, mean_interval, paired_interval):
        with pytest.raises(ValueError, match="must"):
            of([odd, 1.0])
