"""GDPO's second half: whitening over the batch, by sample or by token."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.advantages.whitened import token_whitened


@dataclass(frozen=True)
class BatchNorm:
    """A = (u - mean) / (std + eps) over the batch.

    ``over``: "sample" (the paper, and GDPO's TRL fork) or "token" (its verl fork and verl: rows weigh by length, so
    a group of equal answers need not get 0). Source: arXiv 2601.05242 [A]; eps 1e-4. All equal: exactly 0.
    """

    name: ClassVar[str] = "batch_norm"
    over: str = "sample"
    eps: float = 1e-4

    def __call__(self, utility_B: Tensor, batch: Batch) -> Tensor:
        valid_B = ~utility_B.isnan()
        value_B = utility_B.nan_to_num(0.0)
        if self.over == "token":
            return token_whitened(value_B, batch, valid_B)
        judged = value_B[valid_B]
        if len(judged) < 2 or judged.max() == judged.min():
            return torch.zeros_like(value_B)
        return torch.where(valid_B, (value_B - judged.mean()) / (judged.std() + self.eps), torch.zeros_like(value_B))
