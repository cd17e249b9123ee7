"""Soft gates times weighted utility, after SearchLLM."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from schemas.manifest import RewardRole
from trainer_bridge.batch import Batch


@dataclass(frozen=True)
class Gated:
    """u = exp(mean_i log((s_i + d) / (1 + d))) * sum_j w_j R_j / sum_j w_j, s over gates, j over scores.

    One failed gate of m does not zero the sum: it leaves (d / (1 + d))^(1/m). Without gates the factor is 1.
    Source: arXiv 2603.10473 [B]. Default d = 0.01. Rows with an unjudged gate or no judged score are NaN.
    """

    name: ClassVar[str] = "gated"
    floor: float = 0.01

    def __call__(self, batch: Batch) -> Tensor:
        device = batch.rewards_BK.device
        gates_BM = batch.rewards_BK[:, batch.space.has_role_K(RewardRole.GATE).to(device)]
        factor_B = torch.ones(len(gates_BM), dtype=torch.float64, device=device)
        if gates_BM.shape[1]:
            factor_B = ((gates_BM + self.floor) / (1 + self.floor)).log().mean(-1).exp()
        weights_K = batch.space.weights_K().to(device)
        judged_BK = ~batch.rewards_BK.isnan()
        total_B = (judged_BK * weights_K).sum(-1)
        utility_B = (batch.rewards_BK.nan_to_num(0.0) * weights_K).sum(-1) / total_B
        return factor_B * utility_B
