"""Rewards to advantages, in the recipe's order: aggregate, filter, shape, estimate, modify."""

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
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

    Filters see the utility before shaping: a price on length must not decide what counts as right.
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
