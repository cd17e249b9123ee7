import numpy as np
import pytest

from hub_server.evaluations.rules.quality.hardness import hardness, model_pass_at_k
from hub_server.evaluations.rules.quality.outcomes import Outcomes


def test_pass_at_k_is_unbiased(simulate):
    outcomes = simulate([0.0], np.zeros(4000), attempts=8)
    estimate = model_pass_at_k(outcomes, k=3)["m000"]
    assert estimate.value == pytest.approx(1 - 0.5**3, abs=0.01)
    assert estimate.low < 0.875 < estimate.high


def test_intervals_of_the_pass_rate_cover_the_truth_about_95_times_in_100(simulate):
    hits = 0
    for seed in range(100):
        estimate = hardness(simulate([0.0], np.zeros(200), seed=seed)).pass_rate
        hits += estimate.low <= 0.5 <= estimate.high
    assert 88 <= hits <= 100


def test_tasks_that_nobody_or_everybody_solves_are_counted(simulate):
    found = hardness(simulate([0, 0, 0], [99, 99, -99, 0], attempts=50))
    assert (found.never_solved.value, found.always_solved.value) == (0.5, 0.25)
    assert found.never_solved.high - found.never_solved.low > 0.6, "four tasks are few"
    assert found.task_rates["t0003"] == pytest.approx(0.5, abs=0.15)


def test_a_model_that_fails_all_six_tasks_is_not_known_to_fail_always(simulate):
    found = hardness(simulate([-99.0], np.zeros(6), attempts=4))
    assert found.pass_rate.value == 0.0
    assert found.pass_rate.high > 0.35
    assert model_pass_at_k(simulate([-99.0], np.zeros(6), attempts=4), k=2)["m000"].high > 0.35


def test_a_task_that_nobody_tried_is_left_out():
    known = Outcomes(("a", "b"), ("x", "y"), np.array([[0, 1], [0, 0]]), np.array([[0, 1], [0, 1]]))
    found = hardness(known)
    assert found.task_rates == {"y": 0.5}
    assert found.never_solved.value == 0
    nothing = Outcomes(("a",), ("x",), np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.int64))
    with pytest.raises(ValueError, match="at least one task"):
        hardness(nothing)
