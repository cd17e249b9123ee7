"""What every surrogate returns, and the importance ratio they share."""

from dataclasses import dataclass

import torch
from torch import Tensor

LOG_RATIO_LIMIT = 20.0


@dataclass(frozen=True)
class Terms:
    """``loss_BT`` to minimise, and where the ratio was clipped (for ``clip_ratio/*``)."""

    loss_BT: Tensor
    clipped_low_BT: Tensor
    clipped_high_BT: Tensor

    @classmethod
    def unclipped(cls, loss_BT: Tensor) -> "Terms":
        """Terms of a loss that clips nothing."""
        nowhere_BT = torch.zeros_like(loss_BT, dtype=torch.bool)
        return cls(loss_BT, nowhere_BT, nowhere_BT)


def importance_ratio(logprobs_BT: Tensor, old_logprobs_BT: Tensor) -> Tensor:
    """exp(lp - lp_old), the difference clamped to +-20."""
    return (logprobs_BT - old_logprobs_BT).clamp(-LOG_RATIO_LIMIT, LOG_RATIO_LIMIT).exp()
