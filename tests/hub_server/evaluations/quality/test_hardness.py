import itertools

import numpy as np
import pytest

from hub_server.evaluations.quality.hardness import hardness, mixed_group_chance, model_pass_at_k, pass_at_k


@pytest.mark.parametrize(("attempts", "successes", "k"), [(5, 2, 1), (5, 2, 3), (6, 0, 2), (6, 6, 4), (7, 3, 7)])
def test_pass_at_k_is_the_share_of_draws_with_a_success(attempts, successes, k):
    tries = [1] * successes + [0] * (attempts - successes)
    draws = list(itertools.combinations(tries, k))
    assert pass_at_k(attempts, successes, k) == pytest.approx(sum(map(any, draws)) / len(draws))


@pytest.mark.parametrize(("attempts", "successes", "k"), [(3, 4, 1), (3, 1, 4), (3, 1, 0)])
def test_pass_at_k_refuses_what_it_cannot_know(attempts, successes, k):
    with pytest.raises(ValueError, match="need"):
        pass_at_k(attempts, successes, k)


def test_pass_at_k_is_unbiased(simulate):
    outcomes = simulate([0.0], np.zeros(4000), attempts=8)
    estimate = model_pass_at_k(outcomes, k=3)["m000"]
    assert estimate.value == pytest.approx(1 - 0.5**3, abs=0.01)
    assert estimate.low < 0.875 < estimate.high


def test_intervals_of_the_pass_rate_cover_the_truth_about_95_times_in_100(simulate):
    hits = 0
    for seed in range(100):
        estimate = hardness(simulate([0.0], np.zeros(200), seed=seed), draws=1000, seed=seed).pass_rate
        hits += estimate.low <= 0.5 <= estimate.high
    assert 88 <= hits <= 100


def test_tasks_that_nobody_or_everybody_solves_are_counted(simulate):
    found = hardness(simulate([0, 0, 0], [99, 99, -99, 0], attempts=50))
    assert (found.never_solved.value, found.always_solved.value) == (0.5, 0.25)
    assert found.never_solved.high - found.never_solved.low > 0.6, "four tasks are few"
    assert found.task_rates["t0003"] == pytest.approx(0.5, abs=0.15)


def test_only_a_task_between_hard_and_easy_gives_mixed_groups():
    assert mixed_group_chance(0.0, 8) == mixed_group_chance(1.0, 8) == 0.0
    assert mixed_group_chance(0.5, 8) == pytest.approx(1 - 2 * 0.5**8)
