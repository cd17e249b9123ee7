"""DeepSeek-V3.2's off-policy sequence mask."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need
from trainer_bridge.components.token_weights.weights import Weights


@dataclass(frozen=True)
class OffPolicyMask:
    """Drop a row with A < 0 whose mean (lp_old - lp) exceeds ``threshold``: it is too far off to learn from.

    Source: TRL ``off_policy_mask_threshold`` [A]; 0.5.
    """

    name: ClassVar[str] = "off_policy_mask"
    needs: ClassVar[frozenset[str]] = frozenset({"current", "old"})
    threshold: float = 0.5

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        drift_BT = need(batch.old_logprobs_BT, "old") - need(batch.current_logprobs_BT, "current")
        mean_B = (drift_BT * batch.mask_BT).sum(-1) / batch.length_B.clamp(min=1)
        dropped_BT = (advantages_BT < 0) & (mean_B > self.threshold)[:, None]
        return Weights.scaling(torch.where(dropped_BT, torch.zeros_like(drift_BT), torch.ones_like(drift_BT)))
