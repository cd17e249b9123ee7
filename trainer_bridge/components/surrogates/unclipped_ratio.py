"""The unclipped importance-weighted surrogate, which KL-Cov builds on."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms, importance_ratio


@dataclass(frozen=True)
class UnclippedRatio:
    """-A rho. Source: verl ``compute_policy_loss_kl_cov`` without its penalty [A]."""

    name: ClassVar[str] = "unclipped_ratio"

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        return Terms.unclipped(-advantages_BT * importance_ratio(logprobs_BT, old_BT))
