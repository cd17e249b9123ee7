"""Correct for a sampler that is not quite the policy being trained (TIS, MIS)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need
from trainer_bridge.components.token_weights.weights import Weights


@dataclass(frozen=True)
class TruncatedImportance:
    """w = exp(lp_old - lp_sampler), truncated at ``cap`` (TIS), or 0 beyond it (``mode`` "mask": MIS).

    ``level`` "token" or "sequence" (mean difference of the row; the sum's variance grows with length). Source: TRL [A];
    cap 2.
    """

    name: ClassVar[str] = "truncated_importance"
    needs: ClassVar[frozenset[str]] = frozenset({"old"})
    cap: float = 2.0
    mode: str = "truncate"
    level: str = "token"

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        difference_BT = (need(batch.old_logprobs_BT, "old") - batch.sampler_logprobs_BT) * batch.mask_BT
        if self.level == "sequence":
            mean_B = difference_BT.sum(-1) / batch.length_B.clamp(min=1)
            difference_BT = mean_B[:, None].expand_as(difference_BT)
        weight_BT = difference_BT.exp().to(advantages_BT)
        if self.mode == "mask":
            return Weights.scaling(torch.where(weight_BT > self.cap, torch.zeros_like(weight_BT), weight_BT))
        return Weights.scaling(weight_BT.clamp(max=self.cap))
