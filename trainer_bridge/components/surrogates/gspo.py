"""GSPO: one ratio a sequence."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms

_LOG_LIMIT = 10.0


@dataclass(frozen=True)
class Gspo:
    """s_i = exp(mean_t (lp - lp_old)); max(-A s, -A clip(s)), the gradient reaching each token through its own lp.

    Source: arXiv 2507.18071, verl, TRL [A]. epsilon 3e-4, epsilon_high 4e-4; reduce by seq_mean_token_mean.
    """

    name: ClassVar[str] = "gspo"
    epsilon: float = 3e-4
    epsilon_high: float = 4e-4

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        length_B = mask_BT.sum(-1).clamp(min=1)
        mean_B = ((logprobs_BT - old_BT) * mask_BT).sum(-1) / length_B
        log_ratio_BT = mean_B.detach()[:, None] + logprobs_BT - logprobs_BT.detach()
        ratio_BT = log_ratio_BT.clamp(max=_LOG_LIMIT).exp()
        plain_BT = -advantages_BT * ratio_BT
        clipped_BT = -advantages_BT * ratio_BT.clamp(1 - self.epsilon, 1 + self.epsilon_high)
        bound_BT = (clipped_BT > plain_BT) & mask_BT
        loss_BT = torch.maximum(plain_BT, clipped_BT)
        return Terms(loss_BT, bound_BT & (advantages_BT < 0), bound_BT & (advantages_BT > 0))
