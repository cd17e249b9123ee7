"""Sources that are surely worse: exact chances, what is not said of few errors, and how often it is said of none."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from schemas.measures.case_sources import chance_of_difference, worse_sources


@pytest.mark.parametrize(
    ("one", "other"), [((7, 35), (0, 500)), ((2, 35), (1, 80)), ((0, 20), (5, 20)), ((20, 20), (0, 9))]
)
def test_the_chance_is_that_of_fishers_exact_test(one, other):
    table = [[one[0], one[1] - one[0]], [other[0], other[1] - other[0]]]
    assert chance_of_difference(one, other) == pytest.approx(fisher_exact(table, alternative="greater").pvalue)


def test_a_source_is_named_only_where_it_is_surely_worse():
    assert worse_sources({"held": (4, 35), "easy": (0, 500)}) == ["held"]
    assert worse_sources({"held": (1, 35), "easy": (0, 5000)}) == [], "one error may be one wrong label"
    assert worse_sources({"held": (4, 35), "hard": (20, 200)}) == []
    assert worse_sources({"held": (30, 35)}) == [], "there is nothing to compare it with"
    assert worse_sources({}) == []


def test_two_sources_may_be_worse_than_a_third():
    assert worse_sources({"a": (20, 100), "b": (25, 100), "easy": (0, 3000)}) == ["a", "b"]


def test_fractions_of_cases_are_rounded_towards_no_difference():
    assert worse_sources({"held": (1.99, 30.2), "easy": (0, 5000)}) == []


def test_a_verifier_that_errs_alike_everywhere_is_rarely_said_to_differ():
    random, draws = np.random.default_rng(7), 2000
    for rate in (0.005, 0.02, 0.1):
        said = sum(
            bool(worse_sources({"a": (random.binomial(250, rate), 250), "b": (random.binomial(150, rate), 150)}))
            for _ in range(draws)
        )
        assert said / draws < 0.05
