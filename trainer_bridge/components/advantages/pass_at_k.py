"""Pass@k GRPO: only the best row of a group learns."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.groups import group_std


@dataclass(frozen=True)
class PassAtK:
    """The best row gets its lead over the second best, optionally / (std_g + eps); all others 0.

    Source: arXiv 2503.19595, verl ``grpo_passk`` [A]. Ties for the best give 0. eps 1e-6 (verl).
    """

    name: ClassVar[str] = "pass_at_k"
    scale: bool = False
    eps: float = 1e-6

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        advantage_B = torch.zeros_like(utility_B)
        for group in batch.group_B[valid_B].unique().tolist():
            rows = ((batch.group_B == group) & valid_B).nonzero()[:, 0]
            if len(rows) > 1:
                values, places = utility_B[rows].topk(2)
                advantage_B[rows[places[0]]] = values[0] - values[1]
        if self.scale:
            advantage_B = advantage_B / (group_std(utility_B.nan_to_num(0.0), batch.group_B, valid_B) + self.eps)
        return advantage_B
