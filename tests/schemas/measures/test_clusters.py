"""Rates over alike cases: simulated coverage, and what a cluster may not be worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from schemas.evidence.rates import Grade
from schemas.measures.clusters import cluster_share, clustered_rate
from schemas.measures.confusion import Outcome, measure
from schemas.measures.corrected import Observed, correct
from schemas.measures.grades import grade_of
from schemas.measures.intervals import rate, wilson
from scripts.simulate_clusters import SHAPES, corrected_coverage, observed_coverage, rate_coverage

DRAWS = 400
FEWEST = binom.ppf(0.001, DRAWS, 0.93) / DRAWS
"""Of 400 draws, an interval that covers 93 times in 100 holds the truth less often than this once in a thousand."""


@pytest.mark.parametrize("shape", ["20 x 20", "50 x 10", "50 x 20"])
@pytest.mark.parametrize("true", [0.015, 0.03, 0.1])
def test_intervals_over_alike_cases_hold_the_truth(shape, true):
    """With an intraclass correlation of 0.3, where counting every case for one covers 52 to 69 times in 100."""
    assert rate_coverage(SHAPES[shape], true, 0.3, DRAWS, seed=11) >= FEWEST


def test_counting_every_case_for_one_covers_far_too_rarely():
    random, hits = np.random.default_rng(11), 0
    for _ in range(DRAWS):
        errors = int(random.binomial(20, random.beta(0.07, 2.263, 20)).sum())
        low, high = wilson(errors, 400)
        hits += low <= 0.03 <= high
    assert hits < 0.7 * DRAWS


@pytest.mark.parametrize(("tasks", "tries"), [(5, 8), (20, 8), (50, 4)])
def test_observed_pass_rates_hold_the_truth_in_the_worst_cells(tasks, tries):
    for true in (0.1, 0.5):
        assert observed_coverage([tries] * tasks, true, 0.6, DRAWS, seed=12) >= FEWEST


def test_a_corrected_rate_holds_the_truth_where_the_audits_cases_are_alike():
    fewest = binom.ppf(0.001, 120, 0.93) / 120
    assert corrected_coverage(SHAPES["20 x 20"], 0.5, 0.3, 120, seed=13) >= fewest


@given(st.integers(1, 60), st.integers(1, 30))
def test_without_an_error_a_cluster_counts_for_one_case(clusters, size):
    found = clustered_rate((False, (name,)) for name in range(clusters) for _ in range(size))
    assert (found.low, found.high) == (rate(0, clusters).low, rate(0, clusters).high)
    assert found.clusters == (clusters if size > 1 else None)


@given(st.integers(0, 40), st.integers(1, 40))
def test_cases_that_nothing_groups_are_counted_one_by_one(errors, right):
    outcomes = [(True, ())] * errors + [(False, ())] * right
    assert clustered_rate(outcomes) == rate(errors, errors + right)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6)), min_size=1, max_size=30))
def test_clusters_never_know_more_than_their_cases(counts):
    counts = [(min(errors, cases), cases) for errors, cases in counts]
    found = cluster_share(counts)
    assert 0 < found.tries <= sum(cases for _, cases in counts) + 1e-9
    assert 0 <= found.share <= 1


def test_an_error_more_never_makes_the_upper_end_smaller():
    """Errors fill one cluster after the other: without a floor, one error in 200 looked better than none."""
    ends = [clustered_rate((number < errors, (number // 10,)) for number in range(200)).high for errors in range(60)]
    assert ends == sorted(ends)


def test_copies_of_one_case_earn_nothing():
    copies = [Outcome(must, must, ("the task", "the form")) for must in (True, False) for _ in range(400)]
    found = measure(copies)
    assert found.tp == found.tn == 400
    assert (found.fpr.clusters, found.fnr.clusters) == (1, 1)
    assert grade_of(found) is Grade.UNMEASURED


def test_the_way_of_grouping_that_leaves_the_fewest_cases_decides():
    """Every case has a task of its own, but twenty-two forms made them all."""
    found = clustered_rate((False, (f"task {number}", f"form {number % 22}")) for number in range(440))
    assert found.clusters == 22
    assert found.high == pytest.approx(wilson(0, 22)[1])


def test_an_audit_of_alike_cases_widens_a_corrected_rate():
    def audit(size):
        cases = [
            Outcome(must, number % 10 != 0 if must else number % 20 == 0, ())
            for must in (True, False)
            for number in range(400)
        ]
        return measure(Outcome(one.must_accept, one.accepted, (number // size,)) for number, one in enumerate(cases))

    narrow, wide = correct(Observed(0.5, 400), audit(1)), correct(Observed(0.5, 400), audit(20))
    assert wide.interval.high - wide.interval.low > narrow.interval.high - narrow.interval.low
