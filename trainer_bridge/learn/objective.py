"""From rewards to a loss, in the recipe's order.

Aggregate, filter, shape, estimate and modify make advantages; surrogate, token weights, regularizers and reduction make
the loss of a micro-batch.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, State, Weights
from trainer_bridge.components.reductions import Counts
from trainer_bridge.components.surrogates import Terms
from trainer_bridge.recipe import Recipe


def keep_groups(recipe: Recipe, batch: Batch) -> Tensor:
    """Which rows stay, by the recipe's group filters on the unshaped utility. A group stays or goes as a whole."""
    utility_B = recipe.aggregator(batch)
    keep_B = torch.ones(len(utility_B), dtype=torch.bool, device=utility_B.device)
    for part in recipe.filters:
        if part.level == "group":
            keep_B &= part(utility_B, batch)
    return keep_B


def trained_mask(recipe: Recipe, batch: Batch) -> Tensor:
    """mask_BT without the rows that must not be learnt from: not judged, or dropped by a filter of level row.

    Filters see the utility before shaping, so that a length penalty does not decide what counts as right.
    """
    utility_B: Tensor = recipe.aggregator(batch)
    keep_B = ~utility_B.isnan()
    for part in recipe.filters:
        if part.level == "row":
            keep_B &= part(utility_B, batch)
    return batch.mask_BT & keep_B[:, None]


def row_advantages(recipe: Recipe, batch: Batch) -> tuple[Tensor, Tensor]:
    """(advantages_B, utility_B), float64: after shaping and estimation, before token-level modifiers."""
    utility_B = recipe.aggregator(batch)
    for shaper in recipe.shapers:
        utility_B = shaper(utility_B, batch)
    return recipe.advantage(utility_B, batch), utility_B


def token_advantages(recipe: Recipe, batch: Batch, advantages_B: Tensor, utility_B: Tensor) -> Tensor:
    """advantages_BT (float32), 0 outside the mask."""
    advantages_BT = advantages_B[:, None] * batch.mask_BT
    for modifier in recipe.modifiers:
        advantages_BT = modifier(advantages_BT, utility_B, batch)
    return (advantages_BT * batch.mask_BT).float()


@dataclass(frozen=True)
class Loss:
    """``total`` to differentiate; ``terms`` for the clip metrics."""

    total: Tensor
    terms: Terms


def token_weights(recipe: Recipe, batch: Batch, advantages_BT: Tensor) -> Weights:
    """The recipe's token weights over the whole batch, multiplied, without gradient."""
    combined = Weights.scaling(torch.ones_like(advantages_BT))
    for part in recipe.token_weights:
        weights: Weights = part(advantages_BT, batch)
        combined = Weights(combined.multiply_BT * weights.multiply_BT, combined.drift_BT + weights.drift_BT)
    return combined


def policy_loss(  # noqa: PLR0913, PLR0917 -- a loss has this many inputs
    recipe: Recipe,
    logprobs_BT: Tensor,
    entropy_BT: Tensor,
    batch: Batch,
    advantages_BT: Tensor,
    weights: Weights,
    counts: Counts,
    state: State,
) -> Loss:
    """Return a micro-batch's share of the batch's loss: the shares sum to the loss, however the batch is cut.

    ``batch``, advantages and weights hold the micro-batch's rows only; ``counts`` are those of the whole batch. With
    ``old_logprobs_BT`` absent (one update a batch) the old policy is the current one, and every ratio exactly 1.
    """
    old_BT = logprobs_BT.detach() if batch.old_logprobs_BT is None else batch.old_logprobs_BT
    terms: Terms = recipe.surrogate(logprobs_BT, old_BT, advantages_BT, batch.mask_BT)
    loss_BT = terms.loss_BT * weights.multiply_BT
    if recipe.token_weights:
        loss_BT = loss_BT + weights.drift_BT * (logprobs_BT - old_BT).abs()
    for regularizer in recipe.regularizers:
        loss_BT = loss_BT + regularizer(logprobs_BT, entropy_BT, batch, state)
    share_BT = recipe.reduction(batch.mask_BT, counts).to(loss_BT)
    total = torch.where(batch.mask_BT, loss_BT, torch.zeros_like(loss_BT)).mul(share_BT).sum()
    return Loss(total, terms)
