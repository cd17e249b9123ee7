import numpy as np
import pytest
from scipy.stats import binomtest, false_discovery_control
from scipy.stats import fisher_exact as scipy_fisher

from hub_server.evaluations.rules.quality.chances import benjamini_hochberg, fisher_exact, mcnemar_exact
from hub_server.evaluations.rules.quality.harness_sensitivity import harness_sensitivity, task_flips


def compare(first, second, attempts=20, seed=0):
    random = np.random.default_rng(seed)
    tasks = tuple(f"t{index}" for index in range(len(first)))
    tries = np.full(len(first), attempts)
    return harness_sensitivity(
        tasks, random.binomial(tries, first), tries, random.binomial(tries, second), tries, seed=seed
    )


@pytest.mark.parametrize("table", [(3, 10, 9, 12), (0, 5, 5, 5), (7, 20, 7, 20), (1, 30, 12, 25)])
def test_fishers_test_is_scipys(table):
    a, n, b, m = table
    assert fisher_exact(*table) == pytest.approx(scipy_fisher([[a, n - a], [b, m - b]]).pvalue)


def test_false_discoveries_are_controlled_as_scipy_does():
    p_values = list(np.random.default_rng(0).uniform(size=40) ** 3)
    expected = list(false_discovery_control(p_values) <= 0.05)
    assert benjamini_hochberg(p_values, 0.05) == expected
    assert any(expected)


def test_the_tasks_that_a_harness_changes_are_named():
    first, second = np.full(30, 0.5), np.full(30, 0.5)
    second[:3] = 1.0
    first[:3] = 0.05
    found = compare(first, second)
    assert {change.task for change in found.changes if change.is_certain} == {"t0", "t1", "t2"}
    assert {change.task for change in found.changes[:3]} == {"t0", "t1", "t2"}


def test_a_harness_that_helps_everywhere_is_seen_even_where_no_single_task_is_certain():
    found = compare(np.full(60, 0.4), np.full(60, 0.55))
    assert 0 < found.difference.low < 0.15 < found.difference.high
    assert found.p_value < 0.01


def test_the_same_harness_twice_shows_no_difference():
    p_values = [compare(np.full(40, 0.4), np.full(40, 0.4), seed=seed).p_value for seed in range(60)]
    assert sum(value < 0.05 for value in p_values) <= 8
    assert np.mean(p_values) > 0.35


def test_identical_outcomes_have_nothing_to_test():
    ones = np.ones(5, dtype=np.int64)
    found = harness_sensitivity(tuple("abcde"), ones, ones, ones, ones)
    assert (found.p_value, found.changes, found.difference.value) == (1.0, (), 0.0)


def test_a_task_without_attempts_is_refused():
    with pytest.raises(ValueError, match="attempt"):
        harness_sensitivity(("a",), np.array([0]), np.array([0]), np.array([0]), np.array([1]))


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (1, 0), (5, 5), (9, 1), (0, 12), (30, 14)])
def test_mcnemars_exact_test_is_the_binomial_one(gained, lost):
    expected = binomtest(gained, gained + lost, 0.5).pvalue if gained + lost else 1.0
    assert mcnemar_exact(gained, lost) == pytest.approx(expected)


def test_the_tasks_that_change_for_every_model_are_found_and_chance_is_not():
    """Thirty models, single attempts: on three tasks the second harness helps, on one it hurts, on the rest it is luck."""
    random, tasks = np.random.default_rng(0), tuple(f"t{index}" for index in range(60))
    first, second = np.full(60, 0.4), np.full(60, 0.4)
    first[:3], second[:3], first[3], second[3] = 0.1, 0.95, 0.9, 0.05
    rows = [(random.uniform(size=60) < second) * 1.0 - (random.uniform(size=60) < first) for _ in range(30)]
    flips = task_flips(tasks, rows)
    assert {flip.task for flip in flips if flip.is_certain} == {"t0", "t1", "t2", "t3"}
    (hurt,) = [flip for flip in flips if flip.task == "t3"]
    assert hurt.lost > 15
    assert hurt.gained <= 3


def test_a_task_that_a_model_did_not_try_under_both_counts_for_nothing():
    (flip,) = task_flips(("a", "b"), [np.array([1.0, np.nan]), np.array([1.0, np.nan])])
    assert (flip.task, flip.gained, flip.lost) == ("a", 2, 0)
