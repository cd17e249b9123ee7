"""Uncertain tokens earn more: an entropy term in the advantage."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need


@dataclass(frozen=True)
class EntropyAdvantage:
    """A + min(alpha H, |A| / kappa); H is not differentiated.

    Source: a baseline in the SIREN repository [A]: alpha 0.4, kappa 1.
    """

    name: ClassVar[str] = "entropy_advantage"
    needs: ClassVar[frozenset[str]] = frozenset({"entropy"})
    alpha: float = 0.4
    kappa: float = 1.0

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every modifier has this shape
        entropy_BT = need(batch.entropy_BT, "entropy")
        return advantages_BT + torch.minimum(self.alpha * entropy_BT, advantages_BT.abs() / self.kappa) * batch.mask_BT
