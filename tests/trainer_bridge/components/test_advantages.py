"""Filters and advantage estimators."""

from dataclasses import replace
from itertools import product

import pytest
import torch

from schemas.manifest import RewardDeclaration
from trainer_bridge.batch import Batch
from trainer_bridge.components.advantages import (
    BatchNorm,
    Group,
    Identity,
    Opo,
    Overlong,
    PassAtK,
    PassRateBand,
    Rloo,
    TokenGroup,
    Whitened,
    ZeroVariance,
)
from trainer_bridge.rewards import RewardSpace

# Filters


NAN = float("nan")


def vector(*values):
    return torch.tensor(values, dtype=torch.float64)


def test_dynamic_sampling_drops_groups_that_teach_nothing(make_batch):
    batch = make_batch([1] * 20, [g for g in range(5) for _ in range(4)])
    utility = vector(0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, NAN, NAN, 1, NAN)
    kept = ZeroVariance()(utility, batch)
    assert [bool(kept[4 * group]) for group in range(5)] == [False, True, False, False, False]
    assert kept.view(5, 4).all(-1).sum() + (~kept).view(5, 4).all(-1).sum() == 5  # groups stay or go as a whole


def test_the_pass_rate_band_is_open_at_both_ends(make_batch):
    batch = make_batch([1] * 6, [0, 0, 1, 1, 2, 2])
    assert PassRateBand(0.0, 1.0)(vector(0, 0, 1, 0, 1, 1), batch).tolist() == [False, False, True, True, False, False]


def test_the_overlong_filter_drops_truncated_rows(f1):
    batch = replace(f1, truncated_B=torch.tensor([True, False, False, True]))
    assert Overlong()(torch.zeros(4), batch).tolist() == [False, True, True, False]


# Advantages


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (Group(eps=1e-6), [1.305580, -0.783348, 0.261116, -0.783348]),
        (Group(eps=1e-4), [1.305310, -0.783186, 0.261062, -0.783186]),
        (Group(scale="none"), [0.625, -0.375, 0.125, -0.375]),
        (Rloo(), [0.833333, -0.5, 0.166667, -0.5]),
        (Opo(), [0.65, -0.35, 0.15, -0.35]),
        (Whitened(), [1.579064, -0.850265, 0.364399, -0.850265]),
        (PassAtK(), [0.5, 0.0, 0.0, 0.0]),
        (PassAtK(scale=True), [1.044464, 0.0, 0.0, 0.0]),
        (TokenGroup(), [1.664475, -0.896256, 0.384110, -0.896256]),
        (Identity(), [1.0, 0.0, 0.5, 0.0]),
    ],
)
def test_worked_numbers_of_fixture_f1(estimator, expected, f1, f1_utility):
    assert estimator(f1_utility, f1).tolist() == pytest.approx(expected, abs=1e-6)


def test_lite_ppo_divides_by_the_batch_std(make_batch):
    batch = make_batch([1] * 8, [0] * 4 + [1] * 4)
    utility = torch.tensor([1.0, 0, 0, 1, 1, 1, 1, 0], dtype=torch.float64)
    expected = [0.965905, -0.965905, -0.965905, 0.965905, 0.482953, 0.482953, 0.482953, -1.448858]
    assert Group(scale="batch")(utility, batch).tolist() == pytest.approx(expected, abs=1e-6)


def test_batch_norm_by_sample_and_by_token(make_batch):
    batch = make_batch([1, 3], [0, 0])
    utility = torch.tensor([1.414214, -1.414214], dtype=torch.float64)
    assert BatchNorm(over="token", eps=1e-4)(utility, batch).tolist() == pytest.approx([1.5, -0.5], abs=1e-4)
    assert BatchNorm(eps=1e-4)(utility, batch).tolist() == pytest.approx([0.707071, -0.707071], abs=1e-4)


ESTIMATORS = [
    Group(), Group(scale="batch"), Group(scale="none"), Rloo(), Opo(), Whitened(), PassAtK(), PassAtK(scale=True),
    TokenGroup(), BatchNorm(), BatchNorm(over="token"),
]  # fmt: skip


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("value", [0.01, 0.1, 1 / 3, 0.7, 0.99])
def test_a_group_of_equal_rewards_gets_exactly_zero_even_in_float32(estimator, value, make_batch):
    batch = make_batch([2, 4, 3, 1, 2, 2, 5, 7])
    utility = torch.full((8,), value, dtype=torch.float32)
    assert estimator(utility, batch).tolist() == [0.0] * 8


@pytest.mark.parametrize("estimator", [*ESTIMATORS, Identity()], ids=str)
def test_a_row_that_was_not_judged_gets_zero_and_does_not_move_the_others(estimator, make_batch):
    alone = make_batch([2, 4, 3], [0, 0, 0])
    joined = make_batch([2, 4, 3, 6], [0, 0, 0, 0])
    without = estimator(torch.tensor([1.0, 0.0, 0.4], dtype=torch.float64), alone)
    with_nan = estimator(torch.tensor([1.0, 0.0, 0.4, NAN], dtype=torch.float64), joined)
    assert with_nan[3] == 0
    assert with_nan[:3].tolist() == pytest.approx(without.tolist(), abs=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_adding_a_constant_to_all_rewards_changes_nothing(estimator, f1, f1_utility):
    assert estimator(f1_utility + 7, f1).tolist() == pytest.approx(estimator(f1_utility, f1).tolist(), abs=1e-9)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_the_order_of_rows_and_groups_does_not_matter(estimator, make_batch):
    lengths, groups = [2, 4, 3, 1, 5, 2], [0, 0, 0, 1, 1, 1]
    utility = torch.tensor([1.0, 0.0, 0.5, 0.2, 0.9, 0.3], dtype=torch.float64)
    order = [4, 0, 5, 2, 3, 1]
    plain = estimator(utility, make_batch(lengths, groups))
    shuffled = estimator(utility[order], make_batch([lengths[i] for i in order], [1 - groups[i] for i in order]))
    assert shuffled.tolist() == pytest.approx(plain[order].tolist(), abs=1e-12)


def test_only_normalised_estimators_ignore_the_scale_of_rewards(f1, f1_utility):
    assert Group(eps=0)(3 * f1_utility, f1).tolist() == pytest.approx(Group(eps=0)(f1_utility, f1).tolist())
    assert Group(scale="none")(3 * f1_utility, f1).tolist() != pytest.approx(
        Group(scale="none")(f1_utility, f1).tolist()
    )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_sample_that_alone_was_judged_in_its_group_teaches_nothing(estimator, make_batch):
    """Pushing up whatever happened to be judged would be a bias towards what can be judged."""
    batch = make_batch([3, 2, 2, 2, 1], [0, 0, 0, 1, 1])
    utility = torch.tensor([0.8, NAN, NAN, 0.25, 1.0], dtype=torch.float64)
    assert estimator(utility, batch)[:3].tolist() == [0.0, 0.0, 0.0]
    alone = estimator(torch.tensor([0.8, NAN, NAN, NAN, NAN], dtype=torch.float64), batch)
    assert alone.tolist() == [0.0] * 5


def test_opo_sums_to_zero_weighted_by_length(f1, f1_utility):
    assert (f1.length_B * Opo()(f1_utility, f1)).sum().item() == pytest.approx(0)


def test_a_random_reward_has_zero_mean_advantage_and_the_known_bound():
    """Control reward: over all outcomes of fair coins odd moments vanish and |A| <= (G - 1) / sqrt(G)."""
    found = []
    for coins in product([0.0, 1.0], repeat=4):
        batch = Batch(
            torch.zeros(4, dtype=torch.long), torch.ones(4, 1, dtype=torch.bool), torch.zeros(4, 1),
            RewardSpace({"score": RewardDeclaration()}), torch.zeros(4, dtype=torch.bool), torch.zeros(4, 1),
        )  # fmt: skip
        found.append(Group(eps=0)(torch.tensor(coins, dtype=torch.float64), batch))
    advantages = torch.stack(found)
    assert advantages.sum().item() == pytest.approx(0, abs=1e-9)
    assert (advantages[:, 0] ** 3).sum().item() == pytest.approx(0, abs=1e-9)
    assert advantages.abs().max().item() == pytest.approx(1.5)
