"""GRPO-LEAD: among right answers the short ones, wrong answers -1."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_mean, group_std


@dataclass(frozen=True)
class LeadLength:
    """Right rows (utility > 0): exp(-a z), z = length standardised over the group's right rows; wrong rows: -1.

    Source: arXiv 2504.09696, GRPO-LEAD [A]; a = 0.05, std unbiased (1 for one row), eps 1e-6. Its code shapes only when
    the three shortest answers average over 4000 tokens: ``minimum_length`` 4000 gives that, 0 is the paper.
    """

    name: ClassVar[str] = "lead_length"
    alpha: float = 0.05
    minimum_length: float = 0.0

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        length_B = batch.length_B.double()
        right_B = utility_B.nan_to_num(0.0) > 0
        mean_B = group_mean(length_B, batch.group_B, right_B)
        z_B = (length_B - mean_B) / (group_std(length_B, batch.group_B, right_B) + 1e-6)
        shaped_B = torch.where(self._applies(length_B, batch), torch.exp(-self.alpha * z_B), torch.ones_like(z_B))
        shaped_B = torch.where(right_B, shaped_B, torch.full_like(shaped_B, -1.0))
        return torch.where(utility_B.isnan(), utility_B, shaped_B)

    def _applies(self, length_B: Tensor, batch: Batch) -> Tensor:
        applies_B = torch.ones_like(length_B, dtype=torch.bool)
        for group in batch.group_B.unique().tolist():
            rows = batch.group_B == group
            applies_B[rows] = length_B[rows].sort().values[:3].mean() >= self.minimum_length
        return applies_B
