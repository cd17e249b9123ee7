"""Process Reward Learning: token credit from how far the policy has moved from the reference."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need


@dataclass(frozen=True)
class Prl:
    """A_t <- A_t - (1/eta) S[e(t)], S[t] = sum over j >= t of (lp_old - lp_ref), e(t) the first step end at or after t.

    A step ends every ``step_length`` tokens and at the completion's end. Source: arXiv 2601.10201, its code's mode
    "orm" [A]; eta 200, step length 256. Its quirk that a step of value exactly 0 takes the next step's is left out.
    """

    name: ClassVar[str] = "prl"
    needs: ClassVar[frozenset[str]] = frozenset({"old", "reference"})
    eta: float = 200.0
    step_length: int = 256

    def __call__(self, advantages_BT: Tensor, utility_B: Tensor, batch: Batch) -> Tensor:  # noqa: ARG002 -- every modifier has this shape
        moved_BT = need(batch.old_logprobs_BT, "old") - need(batch.reference_logprobs_BT, "reference")
        moved_BT = moved_BT * batch.mask_BT
        suffix_BT = moved_BT.flip(-1).cumsum(-1).flip(-1)
        positions_T = torch.arange(moved_BT.shape[1], device=moved_BT.device)
        ends_T = (positions_T // self.step_length + 1) * self.step_length - 1
        ends_BT = torch.minimum(ends_T[None], (batch.length_B - 1).clamp(min=0)[:, None])
        return (advantages_BT - suffix_BT.gather(-1, ends_BT) / self.eta) * batch.mask_BT
