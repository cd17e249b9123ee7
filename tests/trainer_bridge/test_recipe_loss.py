"""Rewards to advantages to a loss: worked numbers, and what must not depend on how a batch is cut."""

import math
import statistics
from dataclasses import replace

import pytest
import torch

from schemas.manifest import RewardDeclaration
from tests.making.batches import make_batch, random_batch
from tests.making.recipes import NEEDS_AN_AUDIT, bundled, written
from trainer_bridge.batch import State
from trainer_bridge.components.losses import Counts
from trainer_bridge.recipe_text import bundled_recipes
from trainer_bridge.rewards import RewardSpace

NAN = float("nan")
ONE_REWARD = [name for name in bundled_recipes() if name not in ("c_grpo", "lexicographic", "sft", NEEDS_AN_AUDIT)]


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
    found, utility = recipe(f'advantage = {{ name = "group", scale = "{scale}", eps = 1e-4 }}').row_advantages(batch)
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
        advantages, utility = chosen.row_advantages(batch)
        tokens = chosen.token_advantages(batch, advantages, utility)
        kept = chosen.trained_mask(batch)
        assert torch.isfinite(tokens[kept]).all()
        assert torch.isfinite(advantages[~utility.isnan()]).all()


@pytest.mark.parametrize("name", ONE_REWARD)
def test_the_order_of_rows_and_the_numbers_of_groups_mean_nothing(name):
    chosen, batch = bundled(name), random_batch(7, unjudged=0.1)
    plain, _ = chosen.row_advantages(batch)
    order = torch.randperm(len(plain), generator=torch.Generator().manual_seed(1))
    shuffled = batch.select(order)
    renamed = replace(shuffled, group_B=torch.tensor([5, 1, 3])[shuffled.group_B])
    for other in (shuffled, renamed):
        found, _ = chosen.row_advantages(other)
        assert torch.allclose(found.nan_to_num(0.0), plain[order].nan_to_num(0.0), atol=1e-9)


@pytest.mark.parametrize("name", ONE_REWARD)
def test_padding_changes_nothing(name):
    chosen, batch = bundled(name), random_batch(3)
    wider = {field: torch.nn.functional.pad(value, (0, 4), value=0.0 if value.is_floating_point() else False)
             for field, value in vars(batch).items() if field.endswith("_BT") and value is not None}  # fmt: skip
    results = []
    for one in (batch, replace(batch, **wider)):
        advantages, utility = chosen.row_advantages(one)
        results.append(chosen.token_advantages(one, advantages, utility))
    width = results[0].shape[1]
    assert torch.allclose(results[1][:, :width], results[0], atol=1e-6)
    assert results[1][:, width:].abs().sum() == 0


def test_a_shift_of_all_rewards_of_a_task_changes_no_group_relative_advantage():
    batch = random_batch(2)
    shifted = replace(batch, rewards_BK=batch.rewards_BK + batch.group_B[:, None] * 10.0)
    for name in ("dapo", "grpo", "dr_grpo", "rloo"):
        one, two = (bundled(name).row_advantages(each)[0] for each in (batch, shifted))
        assert torch.allclose(one, two, atol=1e-9)


def test_the_steps_are_taken_in_order_aggregate_shape_estimate():
    """Shaped before estimated: a truncated row's penalty moves the whole group's mean."""
    batch = make_batch([4, 4], rewards={"score": [1.0, 1.0]})
    text = (
        'shapers = [{ name = "length_penalty", rate = 0.1, free = 2 }]\nadvantage = { name = "group", scale = "none" }'
    )
    longer = make_batch([2, 4], rewards={"score": [1.0, 1.0]})
    alike, _ = recipe(text).row_advantages(batch)
    found, utility = recipe(text).row_advantages(longer)
    assert alike.tolist() == [0.0, 0.0]
    assert float(found.sum()) == pytest.approx(0.0, abs=1e-12)
    assert found.tolist() == pytest.approx((utility - utility.mean()).tolist())
    assert float(utility[0]) > float(utility[1])


def test_rows_that_were_not_judged_or_cut_off_are_not_learnt_from():
    batch = make_batch([2, 3, 1], rewards={"score": [1.0, NAN, 0.0]}, truncated_B=torch.tensor([False, False, True]))
    assert recipe("").trained_mask(batch).any(-1).tolist() == [True, False, True]
    assert recipe('filters = ["overlong"]').trained_mask(batch).any(-1).tolist() == [True, False, False]
    assert torch.equal(recipe("").trained_mask(batch)[0], batch.mask_BT[0])


def test_row_filters_see_the_reward_and_not_what_a_shaper_made_of_it():
    """A small price on length must not make every right answer a wrong one."""
    priced = recipe('filters = ["accepted"]\nshapers = [{ name = "length_penalty", rate = 0.01, free = 0 }]')
    batch = make_batch([4, 4], rewards={"score": [1.0, 0.0]})
    assert priced.trained_mask(batch).any(-1).tolist() == [True, False]


def test_accepted_asks_every_reward_for_its_own_threshold():
    """A weighted sum of 1 is easily reached by one reward of weight 3."""
    space = RewardSpace({"right": RewardDeclaration(), "form": RewardDeclaration(weight=3.0)})
    rewards = {"right": [0.0, 1.0, 1.0], "form": [1.0, 1.0, NAN]}
    batch = make_batch([1, 1, 1], rewards=rewards, space=space)
    assert bundled("rejection").trained_mask(batch).any(-1).tolist() == [False, True, False]


def test_a_group_stays_or_goes_as_a_whole():
    groups = [0, 0, 1, 1, 2, 2, 3, 3]
    batch = make_batch([1] * 8, groups, {"score": [0.0, 1.0, 1.0, 1.0, NAN, 1.0, 0.25, 0.5]})
    assert bundled("dapo").keep_groups(batch).tolist() == [True, True, False, False, False, False, True, True]
    assert bundled("grpo").keep_groups(batch).all()
    both = recipe('filters = ["zero_variance", { name = "pass_rate_band", low = 0.4, high = 0.6 }]')
    assert both.keep_groups(batch).tolist() == [True, True, *[False] * 6]


def test_token_advantages_lie_on_the_completion_only():
    batch = random_batch(5)
    advantages = torch.arange(len(batch.group_B), dtype=torch.float64) - 3
    found = recipe("").token_advantages(batch, advantages, batch.rewards_BK[:, 0])
    assert found.dtype == torch.float32
    assert torch.equal(found, (advantages[:, None] * batch.mask_BT).float())


ONE_REWARD = [name for name in bundled_recipes() if name not in ("c_grpo", "lexicographic", NEEDS_AN_AUDIT)]


def inputs(seed, **shape):
    """(log-probabilities with gradient, entropies with gradient, batch, advantages)."""
    batch = random_batch(seed, **shape)
    draw = torch.Generator().manual_seed(seed + 100)
    logprobs = (
        batch.old_logprobs_BT + 0.3 * torch.randn(batch.mask_BT.shape, generator=draw, dtype=torch.float64)
    ).requires_grad_()
    entropy = batch.entropy_BT.clone().requires_grad_()
    advantages = torch.randn(len(batch.group_B), generator=draw, dtype=torch.float64)
    return logprobs, entropy, batch, advantages[:, None] * batch.mask_BT


def loss_of(recipe, logprobs, entropy, batch, advantages, *, state=None, weights=None):
    weights = weights or recipe.weigh_tokens(batch, advantages)
    return recipe.loss(logprobs, entropy, batch, advantages, weights, Counts.of(batch.mask_BT), state or State()).total


def share_by_hand(reduction, lengths, row, horizon=1.0):
    rows = sum(length > 0 for length in lengths)
    return {
        "token_mean": 1 / sum(lengths),
        "token_sum": 1.0,
        "seq_mean_token_sum": 1 / rows / horizon,
        "seq_mean_token_mean": 1 / rows / lengths[row],
    }[reduction]


@pytest.mark.parametrize("reduction", ["token_mean", "token_sum", "seq_mean_token_sum", "seq_mean_token_mean"])
@pytest.mark.parametrize("seed", range(3))
def test_the_clipped_loss_with_kl_is_that_of_a_plain_loop(reduction, seed):
    text = f'surrogate = {{ name = "clip", epsilon = 0.2, epsilon_high = 0.28 }}\nreduction = "{reduction}"\nregularizers = [{{ name = "kl", beta = 0.04 }}]'
    logprobs, entropy, batch, advantages = inputs(seed)
    expected, lengths = 0.0, batch.length_B.tolist()
    for row, length in enumerate(lengths):
        for place in range(length):
            new, old, reference = (
                float(tensor[row, place])
                for tensor in (logprobs.detach(), batch.old_logprobs_BT, batch.reference_logprobs_BT)
            )
            ratio, advantage = math.exp(new - old), float(advantages[row, place])
            clipped = min(max(ratio, 0.8), 1.28)
            kl = math.exp(reference - new) - (reference - new) - 1
            expected += (max(-advantage * ratio, -advantage * clipped) + 0.04 * kl) * share_by_hand(
                reduction, lengths, row
            )
    found = loss_of(written(text), logprobs, entropy, batch, advantages)
    assert float(found.detach()) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("reduction", ["token_mean", "seq_mean_token_sum", "seq_mean_token_mean"])
def test_on_policy_the_gradient_is_minus_the_advantage_times_the_share(reduction):
    """REINFORCE: at ratio 1 the clip does nothing, and d loss / d log p = -A / (what the reduction divides by)."""
    logprobs, entropy, batch, advantages = inputs(4)
    batch = replace(batch, old_logprobs_BT=None)
    loss = loss_of(written(f'reduction = "{reduction}"'), logprobs, entropy, batch, advantages)
    (gradient,) = torch.autograd.grad(loss, logprobs)
    lengths = batch.length_B.tolist()
    shares = torch.tensor([share_by_hand(reduction, lengths, row) for row in range(len(lengths))], dtype=torch.float64)
    assert torch.allclose(gradient, -advantages * shares[:, None], atol=1e-12)


def test_a_clipped_token_has_no_gradient_and_a_free_one_has_the_ratio_s():
    logprobs, entropy, batch, advantages = inputs(5)
    loss = loss_of(written('surrogate = "clip"\nreduction = "token_sum"'), logprobs, entropy, batch, advantages)
    (gradient,) = torch.autograd.grad(loss, logprobs)
    ratio = (logprobs - batch.old_logprobs_BT).exp().detach()
    clipped = ((advantages > 0) & (ratio > 1.2)) | ((advantages < 0) & (ratio < 0.8))
    expected = torch.where(clipped, torch.zeros_like(ratio), -advantages * ratio) * batch.mask_BT
    assert clipped.any()
    assert torch.allclose(gradient, expected, atol=1e-12)


def test_the_gradient_of_an_entropy_bonus_is_constant():
    logprobs, entropy, batch, advantages = inputs(6)
    recipe = written('regularizers = [{ name = "entropy", coefficient = 0.01 }]')
    (gradient,) = torch.autograd.grad(loss_of(recipe, logprobs, entropy, batch, advantages), entropy)
    assert torch.allclose(gradient, -0.01 * batch.mask_BT.double() / batch.mask_BT.sum(), atol=1e-15)


@pytest.mark.parametrize("name", ONE_REWARD)
def test_the_gradient_of_every_recipe_is_its_loss_s_slope(name):
    """Central differences in a random direction, wherever the loss is smooth there."""
    logprobs, entropy, batch, advantages = inputs(8)
    recipe = bundled(name)
    state = State(step=3, memory={"entropy_history_mean": 1.5})
    weights = recipe.weigh_tokens(batch, advantages)

    def value(shift):
        return loss_of(
            recipe,
            (logprobs + shift).detach().requires_grad_(),
            entropy,
            batch,
            advantages,
            state=state,
            weights=weights,
        )

    (gradient,) = torch.autograd.grad(
        loss_of(recipe, logprobs, entropy, batch, advantages, state=state, weights=weights), logprobs
    )
    assert torch.isfinite(gradient).all()
    assert gradient[~batch.mask_BT].abs().sum() == 0
    # by design: a detached ratio is a weight, and k3+ has the gradient of k2
    if name in ("cispo", "gspo", "rloo", "vespo"):
        return
    direction = torch.randn(logprobs.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64) * 1e-6
    slope = float(value(direction).detach() - value(-direction).detach()) / 2
    assert slope == pytest.approx(float((gradient * direction).sum()), rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("name", ONE_REWARD)
@pytest.mark.parametrize("sizes", [[1] * 12, [5, 7], [3, 4, 5]])
def test_the_shares_of_micro_batches_sum_to_the_loss_and_its_gradient(name, sizes):
    logprobs, entropy, batch, advantages = inputs(9)
    recipe, counts = bundled(name), Counts.of(batch.mask_BT)
    weights = recipe.weigh_tokens(batch, advantages)
    whole = loss_of(recipe, logprobs, entropy, batch, advantages, weights=weights)
    order = torch.randperm(12, generator=torch.Generator().manual_seed(2))
    parts = [
        recipe.loss(
            logprobs[rows],
            entropy[rows],
            batch.select(rows),
            advantages[rows],
            weights.rows(rows),
            counts,
            State(),
        ).total
        for rows in order.split(sizes)
    ]
    assert float(sum(parts).detach()) == pytest.approx(float(whole.detach()), rel=1e-9, abs=1e-12)
    one, two = (torch.autograd.grad(loss, logprobs, retain_graph=True)[0] for loss in (whole, sum(parts)))
    assert torch.allclose(one, two, atol=1e-12)


@pytest.mark.parametrize("name", ONE_REWARD)
def test_what_lies_on_padding_reaches_neither_loss_nor_gradient(name):
    logprobs, entropy, batch, advantages = inputs(10)
    recipe = bundled(name)
    weights = recipe.weigh_tokens(batch, advantages)
    plain = loss_of(recipe, logprobs, entropy, batch, advantages, weights=weights)
    rubbish = torch.where(batch.mask_BT, logprobs.detach(), torch.full_like(logprobs, -17.0)).requires_grad_()
    other = loss_of(recipe, rubbish, entropy, batch, advantages, weights=weights)
    assert float(other.detach()) == pytest.approx(float(plain.detach()), rel=1e-12)
    assert torch.autograd.grad(other, rubbish)[0][~batch.mask_BT].abs().sum() == 0


def test_a_row_without_a_trained_token_counts_in_no_mean():
    logprobs, entropy, batch, advantages = inputs(11)
    mask = batch.mask_BT.clone()
    mask[3:6] = False
    masked = replace(batch, mask_BT=mask)
    kept = torch.tensor([row for row in range(12) if not 3 <= row < 6])
    for reduction in ("token_mean", "seq_mean_token_sum", "seq_mean_token_mean"):
        recipe = written(f'reduction = "{reduction}"')
        one = loss_of(recipe, logprobs, entropy, masked, advantages * mask)
        two = loss_of(recipe, logprobs[kept], entropy[kept], batch.select(kept), advantages[kept])
        assert float(one.detach()) == pytest.approx(float(two.detach()), rel=1e-12)


def test_token_weights_multiply_and_carry_no_gradient():
    _, _, batch, advantages = inputs(12)
    both = written('token_weights = ["high_entropy", "truncated_importance"]')
    alone = [
        written(f'token_weights = ["{name}"]').weigh_tokens(batch, advantages)
        for name in ("high_entropy", "truncated_importance")
    ]
    found = both.weigh_tokens(batch, advantages)
    assert torch.allclose(found.multiply_BT, alone[0].multiply_BT * alone[1].multiply_BT)
    assert not found.multiply_BT.requires_grad
    assert torch.equal(written("").weigh_tokens(batch, advantages).multiply_BT, torch.ones_like(advantages))
