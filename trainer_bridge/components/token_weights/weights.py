"""What every token weight returns, and the covariance that several choose tokens by."""

from dataclasses import dataclass

import torch
from torch import Tensor

from trainer_bridge.batch import masked_mean


@dataclass(frozen=True)
class Weights:
    """``multiply_BT`` scales the surrogate; ``drift_BT`` is the coefficient of |lp - lp_old| added to it."""

    multiply_BT: Tensor
    drift_BT: Tensor

    @classmethod
    def scaling(cls, multiply_BT: Tensor) -> "Weights":
        """Weights that only scale."""
        return cls(multiply_BT, torch.zeros_like(multiply_BT))

    def rows(self, rows: Tensor) -> "Weights":
        """The weights of these rows."""
        return Weights(self.multiply_BT[rows], self.drift_BT[rows])


def covariance(advantages_BT: Tensor, logprobs_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """(A - mean A)(lp - mean lp) of every token, means over the batch's masked tokens. Source: arXiv 2505.22617 [A]."""
    advantage_mean = masked_mean(advantages_BT, mask_BT)
    logprob_mean = masked_mean(logprobs_BT, mask_BT)
    return (advantages_BT - advantage_mean) * (logprobs_BT - logprob_mean)
