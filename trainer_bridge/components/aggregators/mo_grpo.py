"""MO-GRPO: normalise each reward within its group, then sum."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.batch import Batch
from trainer_bridge.components.aggregators.per_reward import normalised_sum


@dataclass(frozen=True)
class MoGrpo:
    """u = sum_k w_k (R_k - mean_g) / (std_g + eps); use with advantage ``identity``.

    Under it a weight means importance, not units: scaling a reward changes nothing.
    Source: arXiv 2509.22047 [C]. std unbiased, eps 1e-4 as in TRL.
    """

    name: ClassVar[str] = "mo_grpo"
    eps: float = 1e-4

    def __call__(self, batch: Batch) -> Tensor:
        return normalised_sum(batch, self.eps)
