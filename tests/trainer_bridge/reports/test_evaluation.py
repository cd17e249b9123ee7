"""Means and changes over held-out tasks: ranges, what was not judged, and what is noise."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.verdict import Verdict
from trainer_bridge.reports.evaluation import TOTAL, Evaluation, accepted_shares, changes, ranges_of
from trainer_bridge.rewards import RewardSpace

SPACE = RewardSpace(
    {
        "right": RewardDeclaration(weight=3.0),
        "length": RewardDeclaration(range=(-1.0, 1.0), weight=2.0, threshold=0.0),
        "parses": RewardDeclaration(role=RewardRole.GATE),
    }
)


def held_out(**values):
    return Evaluation(
        {name: np.array(listed, dtype=float) for name, listed in values.items()}, ranges_of(SPACE), {}, ()
    )


def test_the_sum_ranges_from_the_worst_to_the_best_weighted_scores():
    assert ranges_of(SPACE)[TOTAL] == (-2.0, 5.0)
    assert ranges_of(RewardSpace({"cost": RewardDeclaration(weight=-1.0)}))[TOTAL] == (-1.0, 0.0)


@pytest.mark.parametrize(("right", "count"), [(0, 10), (7, 10), (64, 64), (1, 300)])
def test_shares_get_wilsons_interval(right, count):
    mean = held_out(right=[1.0] * right + [0.0] * (count - right)).mean("right")
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    assert (mean.value, mean.low, mean.high) == pytest.approx((right / count, expected.low, expected.high))


def test_a_reward_that_is_the_same_everywhere_still_has_an_interval_within_its_range():
    mean = held_out(length=[1.0] * 6).mean("length")
    assert mean.high == 1.0
    assert mean.low < 0.5
    total = held_out(**{TOTAL: [2.24] * 6}).mean(TOTAL)
    assert -2 < total.low < 2.24 < total.high < 5


def test_what_was_not_judged_is_left_out_and_nothing_judged_is_nan():
    assert held_out(right=[0.5, np.nan, 0.7]).mean("right").count == 2
    nothing = held_out(right=[np.nan]).mean("right")
    assert nothing.count == 0
    assert np.isnan(nothing.value)
    assert changes(held_out(right=[np.nan, 1.0]), held_out(right=[1.0, np.nan])) == {}


def test_a_model_is_no_better_because_only_its_easy_tasks_were_judged():
    whole = held_out(**{TOTAL: [4.0, 4.0, 4.0, 3.0]})
    partly = held_out(**{TOTAL: [5.0, np.nan, np.nan, np.nan]})
    assert partly.mean(TOTAL).value > whole.mean(TOTAL).value
    assert partly.at_least(TOTAL) == (5.0 - 3 * 2.0) / 4
    assert whole.at_least(TOTAL) == 3.75
    assert np.isnan(held_out(**{TOTAL: [np.nan, np.nan]}).at_least(TOTAL)), "nothing is known of such a model"


def test_a_paired_change_sees_what_two_intervals_hide():
    before = np.random.default_rng(2).uniform(0, 0.9, size=50)
    small = changes(held_out(right=before), held_out(right=before + 0.05))["right"]
    assert small.is_outside_noise
    assert small.before.high > small.after.low
    shuffled = np.random.default_rng(3).permutation(before)
    assert not changes(held_out(right=before), held_out(right=shuffled))["right"].is_outside_noise


def test_a_handful_of_tasks_that_all_improved_is_within_noise():
    assert not changes(held_out(right=[0.0, 0.0]), held_out(right=[1.0, 1.0]))["right"].is_outside_noise
    assert not changes(held_out(right=[0.1]), held_out(right=[0.9]))["right"].is_outside_noise
    assert changes(held_out(right=[0.0] * 12), held_out(right=[1.0] * 12))["right"].is_outside_noise


def test_figures_survive_a_checkpoint():
    before = held_out(right=[0.0, 1.0, np.nan])
    again = Evaluation.from_json(before.to_json(), SPACE)
    assert again.mean("right") == before.mean("right")


def test_avg_at_k_weighs_tasks_alike_and_leaves_unjudged_samples_out():
    """Task 0: 1 of 2 passes; task 1: 3 of 4. pass@4 is known of task 1 alone."""
    space = RewardSpace({"right": RewardDeclaration()})
    said = [(0, 1.0), (0, 0.0), (0, None), (0, None), (1, 1.0), (1, 1.0), (1, 1.0), (1, 0.0)]
    rollouts = [SimpleNamespace(group=task, verdict=Verdict(rewards={"right": value})) for task, value in said]
    found = accepted_shares(rollouts, space, 4)
    assert found["avg@4"] == pytest.approx((1 / 2 + 3 / 4) / 2)
    assert found["pass@4"] == 1.0
    assert found["pass@2"] == pytest.approx((1 + 1) / 2)
    assert accepted_shares(rollouts, space, 1) == {}
