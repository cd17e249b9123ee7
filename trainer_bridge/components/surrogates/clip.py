"""The clipped surrogate of PPO and GRPO; clip-higher is an upper bound of its own."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms, importance_ratio


@dataclass(frozen=True)
class Clip:
    """max(-A rho, -A clip(rho, 1 - epsilon, 1 + epsilon_high)); where A < 0, at most -A delta (dual clip).

    Source: arXiv 1707.06347; clip-higher 2503.14476; verl ``compute_policy_loss_vanilla`` [A]. Defaults .2 / .2, no
    dual clip (0 = off; verl has 3, DAPO's scripts 10).
    """

    name: ClassVar[str] = "clip"
    epsilon: float = 0.2
    epsilon_high: float = 0.2
    delta: float = 0.0

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        ratio_BT = importance_ratio(logprobs_BT, old_BT)
        plain_BT = -advantages_BT * ratio_BT
        clipped_BT = -advantages_BT * ratio_BT.clamp(1 - self.epsilon, 1 + self.epsilon_high)
        loss_BT = torch.maximum(plain_BT, clipped_BT)
        if self.delta:
            loss_BT = torch.where(advantages_BT < 0, torch.minimum(loss_BT, -advantages_BT * self.delta), loss_BT)
        bound_BT = (clipped_BT > plain_BT) & mask_BT
        return Terms(loss_BT, bound_BT & (advantages_BT < 0), bound_BT & (advantages_BT > 0))
