"""REINFORCE++ and its baseline form: whitened over all tokens of the batch."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_mean, is_constant

_EPS = 1e-8


@dataclass(frozen=True)
class Whitened:
    """x = u - mean_g (``baseline``) or u; A = (x - m) / sqrt(v + 1e-8), m and unbiased v over all tokens.

    Long rows weigh more, so A is zero-mean over tokens and not over rows. Source: arXiv 2501.03262, verl [A].
    If all x are equal, A is 0.
    """

    name: ClassVar[str] = "whitened"
    baseline: bool = True

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        if self.baseline:
            centred_B = value_B - group_mean(value_B, batch.group_B, valid_B)
            constant_B = is_constant(value_B, batch.group_B, valid_B)
            value_B = torch.where(constant_B, torch.zeros_like(centred_B), centred_B)
        return token_whitened(value_B, batch, valid_B)


def token_whitened(value_B: Tensor, batch: Batch, valid_B: Tensor) -> Tensor:
    """Whiten row values over the batch's tokens (each row counts as often as it has tokens)."""
    tokens_B = torch.where(valid_B, batch.length_B, torch.zeros_like(batch.length_B)).to(value_B)
    count = tokens_B.sum()
    used = value_B[tokens_B > 0]
    if len(used) == 0 or used.max() == used.min():
        return torch.zeros_like(value_B)
    mean = (tokens_B * value_B).sum() / count
    variance = (tokens_B * (value_B - mean) ** 2).sum() / (count - 1)
    return torch.where(valid_B, (value_B - mean) / (variance + _EPS).sqrt(), torch.zeros_like(value_B))
