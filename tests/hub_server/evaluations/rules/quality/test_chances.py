"""Exact tests against scipy and statsmodels, on counts from none to thousands."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from hub_server.evaluations.rules.quality.chances import benjamini_hochberg, fisher_exact, mcnemar_exact

RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize("size", [1, 4, 30, 2000])
def test_fishers_p_is_scipys(size):
    for _ in range(15):
        a, b = RANDOM.integers(0, size + 1, 2)
        other = stats.fisher_exact([[a, size - a], [b, size - b]]).pvalue
        assert fisher_exact(int(a), size, int(b), size) == pytest.approx(other, rel=1e-9)


@pytest.mark.parametrize("size", [1, 5, 40, 3000])
def test_mcnemars_p_is_that_of_the_binomial_test(size):
    for gained in {0, 1, size // 2, size - 1, size}:
        other = stats.binomtest(gained, size).pvalue
        assert mcnemar_exact(gained, size - gained) == pytest.approx(other, rel=1e-9)


def test_nothing_counted_proves_nothing():
    assert fisher_exact(0, 0, 0, 0) == fisher_exact(0, 5, 0, 9) == mcnemar_exact(0, 0) == 1
    assert benjamini_hochberg([], 0.05) == []


def test_false_discoveries_are_those_of_statsmodels():
    for count in (1, 7, 200):
        p_values = list(RANDOM.beta(0.3, 1, count))
        assert benjamini_hochberg(p_values, 0.05) == multipletests(p_values, 0.05, "fdr_bh")[0].tolist()


def test_no_more_false_discoveries_than_promised_where_nothing_is_true():
    wrong = sum(any(benjamini_hochberg(list(RANDOM.uniform(size=50)), 0.05)) for _ in range(400))
    assert wrong <= 0.05 * 400 + 3 * (400 * 0.05 * 0.95) ** 0.5
