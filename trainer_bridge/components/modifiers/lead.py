"""GRPO-LEAD: hard prompts count more."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_mean


def difficulty_weight(x: Tensor) -> Tensor:
    """w(x) = 0.4 + 1.1 / (1 + exp(10 (x - 0.75)))."""
    return 0.4 + 1.1 / (1 + torch.exp(10 * (x - 0.75)))


@dataclass(frozen=True)
class Lead:
    """A > 0 is multiplied by w(q), A <= 0 by w(1 - q); q = share of the group's rows with positive utility.

    Source: arXiv 2504.09696, GRPO-LEAD [A]. Goes with shaper ``lead_length``.
    """

    name: ClassVar[str] = "lead"

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        solved_B = group_mean((utility_B.nan_to_num(0.0) > 0).double(), batch.group_B, valid_B)
        up_B, down_B = difficulty_weight(solved_B), difficulty_weight(1 - solved_B)
        return advantages_BT * torch.where(advantages_BT > 0, up_B[:, None], down_B[:, None]).to(advantages_BT)
