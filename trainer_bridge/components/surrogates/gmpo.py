"""GMPO: the geometric mean of clipped ratios."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms


@dataclass(frozen=True)
class Gmpo:
    """Clamp lp - lp_old to [-epsilon, epsilon_high] on the pessimistic side; ratio_i = exp(its mean); -A_i ratio_i.

    Source: arXiv 2507.20673, verl [A]; .4 / .4 in log space; reduce with seq_mean_token_mean.
    """

    name: ClassVar[str] = "gmpo"
    epsilon: float = 0.4
    epsilon_high: float = 0.4

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:
        difference_BT = logprobs_BT - old_BT
        sign_BT = advantages_BT.sign()
        clamped_BT = difference_BT.clamp(-self.epsilon, self.epsilon_high)
        pessimistic_BT = torch.where(
            sign_BT == 0, difference_BT, sign_BT * torch.minimum(sign_BT * difference_BT, sign_BT * clamped_BT)
        )
        length_B = mask_BT.sum(-1).clamp(min=1)
        ratio_B = ((pessimistic_BT * mask_BT).sum(-1) / length_B).exp()
        bound_BT = (pessimistic_BT != difference_BT) & mask_BT
        loss_BT = -advantages_BT * ratio_B[:, None]
        return Terms(loss_BT, bound_BT & (advantages_BT < 0), bound_BT & (advantages_BT > 0))
