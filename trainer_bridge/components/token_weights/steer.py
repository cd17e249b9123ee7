"""STEER: tokens that would change the entropy most count less."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need
from trainer_bridge.components.token_weights.weights import Weights


@dataclass(frozen=True)
class Steer:
    """Omega = |A / p_old * p (1 - p)(ln p + H)|, mapped to a weight between ``high`` and ``low``.

    ``mapping`` "linear": high at the least Omega, low at the largest (all equal: the middle); "exponential":
    clip(exp(-k Omega), low, 1), k = -ln(low) / max(Omega_max, .02). Source: arXiv 2510.10150, STEER [A]; exponential
    with low .8, linear .8 to 1.2; with clip .2/.28, dual clip 10, token_mean.
    """

    name: ClassVar[str] = "steer"
    needs: ClassVar[frozenset[str]] = frozenset({"current", "old", "entropy"})
    mapping: str = "exponential"
    low: float = 0.8
    high: float = 1.2

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        change_BT = self.entropy_change(advantages_BT, batch)
        least, most = change_BT[batch.mask_BT].min(), change_BT[batch.mask_BT].max()
        if self.mapping == "exponential":
            rate = -math.log(self.low) / max(float(most), 0.02)
            weight_BT = torch.exp(-rate * change_BT).clamp(self.low, 1.0)
        elif most == least:
            weight_BT = torch.full_like(change_BT, (self.low + self.high) / 2)
        else:
            weight_BT = self.high - (change_BT - least) / (most - least) * (self.high - self.low)
        return Weights.scaling(weight_BT)

    def entropy_change(self, advantages_BT: Tensor, batch: Batch) -> Tensor:
        """Omega_BT."""
        limits = (1e-8, 1 - 1e-8)
        p_BT = need(batch.current_logprobs_BT, "current").exp().clamp(*limits)
        old_p_BT = need(batch.old_logprobs_BT, "old").exp().clamp(*limits)
        f_BT = p_BT * (1 - p_BT) * (p_BT.log() + need(batch.entropy_BT, "entropy"))
        return (advantages_BT / old_p_BT * f_BT).abs()
