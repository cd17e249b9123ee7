"""Group-relative advantages: GRPO, Dr. GRPO and LitePPO."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_count, group_mean, group_std, is_constant


@dataclass(frozen=True)
class Group:
    """A = (u - mean_g) / (s + eps), exactly 0 in a group whose utilities are all equal.

    ``scale``: "group" divides by std_g (GRPO, arXiv 2402.03300), "batch" by the std of all rows (LitePPO,
    2508.08221), "none" by nothing (Dr. GRPO, 2503.20783). std unbiased. eps 1e-4 as in TRL; verl has 1e-6 [A].
    A group of one has mean 0 and std 1 (verl). Rows with NaN utility get 0 and stay out of mean and std.
    """

    name: ClassVar[str] = "group"
    scale: str = "group"
    eps: float = 1e-4

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        count_B = group_count(batch.group_B, valid_B)
        mean_B = group_mean(value_B, batch.group_B, valid_B)
        centred_B = value_B - torch.where(count_B > 1, mean_B, torch.zeros_like(mean_B))
        silent_B = ~valid_B | (is_constant(value_B, batch.group_B, valid_B) & (count_B > 1))
        return torch.where(
            silent_B, torch.zeros_like(centred_B), centred_B / self._scale(value_B, batch.group_B, valid_B)
        )

    def _scale(self, value_B: Tensor, group_B: Tensor, valid_B: Tensor) -> Tensor:
        if self.scale == "none":
            return torch.ones_like(value_B)
        if self.scale == "batch":
            return value_B[valid_B].std().expand_as(value_B) + self.eps
        return group_std(value_B, group_B, valid_B) + self.eps
