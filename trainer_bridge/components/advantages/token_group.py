"""HAPO's token-level group average."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.advantages.group import Group
from trainer_bridge.components.groups import group_sum, is_constant


@dataclass(frozen=True)
class TokenGroup:
    """A = (u - m) / (s + 1e-6), m and biased s over all tokens of the group; a group with any |A| >= 5 uses GRPO.

    Source: arXiv 2509.16591, HAPO's code [A]. Its code also counts padded positions, which lets padding trigger the
    fallback; here padding never counts.
    """

    name: ClassVar[str] = "token_group"
    limit: float = 5.0
    eps: float = 1e-6

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        tokens_B = batch.length_B.to(value_B)
        total_B = group_sum(tokens_B, batch.group_B, valid_B).clamp(min=1)
        mean_B = group_sum(tokens_B * value_B, batch.group_B, valid_B) / total_B
        variance_B = group_sum(tokens_B * (value_B - mean_B) ** 2, batch.group_B, valid_B) / total_B
        scaled_B = (value_B - mean_B) / (variance_B.sqrt() + self.eps)
        too_large_B = group_sum((scaled_B.abs() >= self.limit).to(value_B), batch.group_B, valid_B) > 0
        scaled_B = torch.where(too_large_B, Group(eps=self.eps)(utility_B, batch), scaled_B)
        silent_B = ~valid_B | is_constant(value_B, batch.group_B, valid_B)
        return torch.where(silent_B, torch.zeros_like(scaled_B), scaled_B)
