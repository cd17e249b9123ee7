"""Rewards to advantages in the recipe's order, against plain loops in float64, for every bundled recipe."""

import statistics
from dataclasses import replace

import pytest
import torch

from schemas.manifest import RewardDeclaration
from tests.making.batches import make_batch, random_batch
from tests.making.recipes import bundled, written
from trainer_bridge.learn.advantages import keep_groups, row_advantages, token_advantages, trained_mask
from trainer_bridge.recipe_text import bundled_recipes
from trainer_bridge.rewards import RewardSpace

NAN = float("nan")
ONE_REWARD = [name for name in bundled_recipes() if name not in ("c_grpo", "lexicographic", "sft")]


def recipe(text):
    return written(text)


def grpo_by_hand(rewards, groups, scale, eps):
    """(r - mean of the group) / (its standard deviation + eps); 0 where nothing differs or fewer than two were judged."""
    found = []
    for reward, group in zip(rewards, groups, strict=True):
        mates = [other for other, its in zip(rewards, groups, strict=True) if its == group and other == other]  # noqa: PLR0124 -- NaN
        if reward != reward or len(set(mates)) < 2:  # noqa: PLR0124 -- NaN
            found.append(0.0)
            continue
        mean, spread = statistics.fmean(mates), statistics.stdev(mates)
        found.append((reward - mean) / (spread + eps if scale == "group" else 1.0))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scale", ["group", "none"])
def test_group_relative_advantages_are_those_of_a_plain_loop(seed, scale):
    batch = random_batch(seed, groups=4, size=5, unjudged=0.25)
    found, utility = row_advantages(recipe(f'advantage = {{ name = "group", scale = "{scale}", eps = 1e-4 }}'), batch)
    rewards, groups = batch.rewards_BK[:, 0].tolist(), batch.group_B.tolist()
    assert found.tolist() == pytest.approx(grpo_by_hand(rewards, groups, scale, 1e-4), abs=1e-12)
    assert torch.equal(utility.nan_to_num(-1.0), batch.rewards_BK[:, 0].nan_to_num(-1.0))
    assert found.dtype == torch.float64


@pytest.mark.parametrize("name", ONE_REWARD)
@pytest.mark.parametrize("unjudged", [0.0, 0.4, 0.9, 1.0])
def test_every_recipe_gives_finite_advantages_whatever_was_judged(name, unjudged):
    chosen = bundled(name)
    for seed in range(3):
        batch = random_batch(seed, groups=3, size=3, unjudged=unjudged)
        advantages, utility = row_advantages(chosen, batch)
        tokens = token_advantages(chosen, batch, advantages, utility)
        kept = trained_mask(chosen, batch)
        assert torch.isfinite(tokens[kept]).all()
        assert torch.isfinite(advantages[~utility.isnan()]).all()


@pytest.mark.parametrize("name", ONE_REWARD)
def test_the_order_of_rows_and_the_numbers_of_groups_mean_nothing(name):
    chosen, batch = bundled(name), random_batch(7, unjudged=0.1)
    plain, _ = row_advantages(chosen, batch)
    order = torch.randperm(len(plain), generator=torch.Generator().manual_seed(1))
    shuffled = batch.select(order)
    renamed = replace(shuffled, group_B=torch.tensor([5, 1, 3])[shuffled.group_B])
    for other in (shuffled, renamed):
        found, _ = row_advantages(chosen, other)
        assert torch.allclose(found.nan_to_num(0.0), plain[order].nan_to_num(0.0), atol=1e-9)


@pytest.mark.parametrize("name", ONE_REWARD)
def test_padding_changes_nothing(name):
    chosen, batch = bundled(name), random_batch(3)
    wider = {field: torch.nn.functional.pad(value, (0, 4), value=0.0 if value.is_floating_point() else False)
             for field, value in vars(batch).items() if field.endswith("_BT") and value is not None}  # fmt: skip
    results = []
    for one in (batch, replace(batch, **wider)):
        advantages, utility = row_advantages(chosen, one)
        results.append(token_advantages(chosen, one, advantages, utility))
    width = results[0].shape[1]
    assert torch.allclose(results[1][:, :width], results[0], atol=1e-6)
    assert results[1][:, width:].abs().sum() == 0


def test_a_shift_of_all_rewards_of_a_task_changes_no_group_relative_advantage():
    batch = random_batch(2)
    shifted = replace(batch, rewards_BK=batch.rewards_BK + batch.group_B[:, None] * 10.0)
    for name in ("dapo", "grpo", "dr_grpo", "rloo"):
        one, two = (row_advantages(bundled(name), each)[0] for each in (batch, shifted))
        assert torch.allclose(one, two, atol=1e-9)


def test_the_steps_are_taken_in_order_aggregate_shape_estimate():
    """Shaped before estimated: a truncated row's penalty moves the whole group's mean."""
    batch = make_batch([4, 4], rewards={"score": [1.0, 1.0]})
    text = (
        'shapers = [{ name = "length_penalty", rate = 0.1, free = 2 }]\nadvantage = { name = "group", scale = "none" }'
    )
    longer = make_batch([2, 4], rewards={"score": [1.0, 1.0]})
    alike, _ = row_advantages(recipe(text), batch)
    found, utility = row_advantages(recipe(text), longer)
    assert alike.tolist() == [0.0, 0.0]
    assert float(found.sum()) == pytest.approx(0.0, abs=1e-12)
    assert found.tolist() == pytest.approx((utility - utility.mean()).tolist())
    assert float(utility[0]) > float(utility[1])


def test_rows_that_were_not_judged_or_cut_off_are_not_learnt_from():
    batch = make_batch([2, 3, 1], rewards={"score": [1.0, NAN, 0.0]}, truncated_B=torch.tensor([False, False, True]))
    assert trained_mask(recipe(""), batch).any(-1).tolist() == [True, False, True]
    assert trained_mask(recipe('filters = ["overlong"]'), batch).any(-1).tolist() == [True, False, False]
    assert torch.equal(trained_mask(recipe(""), batch)[0], batch.mask_BT[0])


def test_row_filters_see_the_reward_and_not_what_a_shaper_made_of_it():
    """A small price on length must not make every right answer a wrong one."""
    priced = recipe('filters = ["accepted"]\nshapers = [{ name = "length_penalty", rate = 0.01, free = 0 }]')
    batch = make_batch([4, 4], rewards={"score": [1.0, 0.0]})
    assert trained_mask(priced, batch).any(-1).tolist() == [True, False]


def test_accepted_asks_every_reward_for_its_own_threshold():
    """A weighted sum of 1 is easily reached by one reward of weight 3."""
    space = RewardSpace({"right": RewardDeclaration(), "form": RewardDeclaration(weight=3.0)})
    rewards = {"right": [0.0, 1.0, 1.0], "form": [1.0, 1.0, NAN]}
    batch = make_batch([1, 1, 1], rewards=rewards, space=space)
    assert trained_mask(bundled("rejection"), batch).any(-1).tolist() == [False, True, False]


def test_a_group_stays_or_goes_as_a_whole():
    groups = [0, 0, 1, 1, 2, 2, 3, 3]
    batch = make_batch([1] * 8, groups, {"score": [0.0, 1.0, 1.0, 1.0, NAN, 1.0, 0.25, 0.5]})
    assert keep_groups(bundled("dapo"), batch).tolist() == [True, True, False, False, False, False, True, True]
    assert keep_groups(bundled("grpo"), batch).all()
    both = recipe('filters = ["zero_variance", { name = "pass_rate_band", low = 0.4, high = 0.6 }]')
    assert keep_groups(both, batch).tolist() == [True, True, *[False] * 6]


def test_token_advantages_lie_on_the_completion_only():
    batch = random_batch(5)
    advantages = torch.arange(len(batch.group_B), dtype=torch.float64) - 3
    found = token_advantages(recipe(""), batch, advantages, batch.rewards_BK[:, 0])
    assert found.dtype == torch.float32
    assert torch.equal(found, (advantages[:, None] * batch.mask_BT).float())
