"""HAPO's entropy score, and the advantages scaled by it."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need


def entropy_score(entropy_N: Tensor, quantile: float = 0.8, variant: str = "intent") -> Tensor:
    """H in [-1, 1] for the batch's tokens: negative below the quantile of log entropy, positive above.

    l = log max(H, 1e-8), Q its nearest-rank quantile, s = sqrt(mean (l - Q)^2), z = (l - Q) / s; h = z / max z+ above,
    z / |min z-| below. ``variant`` "official_code" divides by min z- itself: h >= 0 everywhere, the low branch is dead.
    """
    logs_N = entropy_N.clamp(min=1e-8).log()
    centre = torch.quantile(logs_N, quantile, interpolation="nearest")
    scale = (logs_N - centre).pow(2).mean().sqrt()
    if scale == 0:
        return torch.zeros_like(logs_N)
    z_N = (logs_N - centre) / scale
    low = z_N.min() if variant == "official_code" else z_N.min().abs()
    positive_N = z_N / z_N.max().clamp(min=1e-12)
    negative_N = z_N / (low if low != 0 else torch.ones_like(low))
    return torch.where(z_N > 0, positive_N, negative_N)


@dataclass(frozen=True)
class HapoScale:
    """A (1 + b h) where (h > 0 and the ratio left the half-width clip band) or (h <= 0 and it did not).

    Source: arXiv 2509.16591 [A for the code, C for the paper]. b = 1, band .2/.28, variant "intent" or "official_code".
    """

    name: ClassVar[str] = "hapo"
    needs: ClassVar[frozenset[str]] = frozenset({"current", "old", "entropy"})
    strength: float = 1.0
    epsilon: float = 0.2
    epsilon_high: float = 0.28
    variant: str = "intent"

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every modifier has this shape
        entropy_BT = need(batch.entropy_BT, "entropy")
        score_BT = torch.zeros_like(entropy_BT)
        score_BT[batch.mask_BT] = entropy_score(entropy_BT[batch.mask_BT], variant=self.variant)
        ratio_BT = (need(batch.current_logprobs_BT, "current") - need(batch.old_logprobs_BT, "old")).exp()
        outside_BT = (ratio_BT < 1 - self.epsilon / 2) | (ratio_BT > 1 + self.epsilon_high / 2)
        chosen_BT = torch.where(score_BT > 0, outside_BT, ~outside_BT)
        return advantages_BT * torch.where(chosen_BT, 1 + self.strength * score_BT, torch.ones_like(score_BT))
