"""SAPO: a smooth gate in place of the clip."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.components.surrogates.terms import Terms, importance_ratio


@dataclass(frozen=True)
class Sapo:
    """-A sigmoid(tau (rho - 1)) 4 / tau, tau by the sign of A. Source: verl, TRL [A]; tau+ 1.0, tau- 1.05."""

    name: ClassVar[str] = "sapo"
    temperature_pos: float = 1.0
    temperature_neg: float = 1.05

    def __call__(self, logprobs_BT: Tensor, old_BT: Tensor, advantages_BT: Tensor, mask_BT: Tensor) -> Terms:  # noqa: ARG002 -- every surrogate has this shape
        ratio_BT = importance_ratio(logprobs_BT, old_BT)
        tau_BT = torch.full_like(ratio_BT, self.temperature_neg).masked_fill(advantages_BT > 0, self.temperature_pos)
        return Terms.unclipped(-advantages_BT * torch.sigmoid(tau_BT * (ratio_BT - 1)) * 4 / tau_BT)
