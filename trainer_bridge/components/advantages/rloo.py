"""RLOO: each row against the mean of the others."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_count, group_mean, is_constant


@dataclass(frozen=True)
class Rloo:
    """A_i = u_i - mean of the group's other rows = n / (n - 1) (u_i - mean_g).

    Source: arXiv 2402.14740, verl and TRL [A]. A group of one: 0 (verl's vectorised form; its plain form keeps u).
    """

    name: ClassVar[str] = "rloo"

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        count_B = group_count(batch.group_B, valid_B)
        scaled_B = (value_B - group_mean(value_B, batch.group_B, valid_B)) * count_B / (count_B - 1).clamp(min=1)
        silent_B = ~valid_B | is_constant(value_B, batch.group_B, valid_B)
        return torch.where(silent_B, torch.zeros_like(scaled_B), scaled_B)
