"""OPO: the length-weighted optimal baseline."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_count, group_sum, is_constant


@dataclass(frozen=True)
class Opo:
    """b_g = sum_i T_i u_i / sum_i T_i; A_i = u_i - b_g, no std. Meant for exact on-policy: one update a batch, no KL.

    Source: arXiv 2505.23585, lmops/opo [A]. ``variant`` for a group of one: "official_code" 0, "verl" keeps u.
    """

    name: ClassVar[str] = "opo"
    variant: str = "official_code"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        length_B = batch.length_B.to(value_B)
        total_B = group_sum(length_B, batch.group_B, valid_B).clamp(min=1)
        advantage_B = value_B - group_sum(length_B * value_B, batch.group_B, valid_B) / total_B
        alone_B = group_count(batch.group_B, valid_B) == 1
        silent_B = ~valid_B | is_constant(value_B, batch.group_B, valid_B)
        advantage_B = torch.where(silent_B, torch.zeros_like(advantage_B), advantage_B)
        return torch.where(alone_B & valid_B, value_B, advantage_B) if self.variant == "verl" else advantage_B
