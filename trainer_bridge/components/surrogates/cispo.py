"""CISPO: clip the weight, never the gradient."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms, importance_ratio


@dataclass(frozen=True)
class Cispo:
    """-sg(clip(rho)) A lp: every token keeps a gradient.

    Source: arXiv 2506.13585, verl, TRL [A]. No lower bound (``epsilon`` 1); ``epsilon_high`` 5 bounds the weight at 6.
    """

    name: ClassVar[str] = "cispo"
    epsilon: float = 1.0
    epsilon_high: float = 5.0

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        ratio_BT = importance_ratio(logprobs_BT, old_BT).detach()
        weight_BT = ratio_BT.clamp(1 - self.epsilon, 1 + self.epsilon_high)
        low_BT, high_BT = (ratio_BT < weight_BT) & mask_BT, (ratio_BT > weight_BT) & mask_BT
        return Terms(-weight_BT * advantages_BT * logprobs_BT, low_BT, high_BT)
