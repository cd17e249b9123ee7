"""KL-Cov: the tokens of highest covariance are held to the old policy."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need
from trainer_bridge.components.token_weights.weights import Weights, covariance


@dataclass(frozen=True)
class KlCov:
    """Add beta |lp - lp_old| on the top max(1, int(ratio * tokens)) covariances; use surrogate ``unclipped_ratio``.

    Source: arXiv 2505.22617, verl [A]; beta 1, ratio 2e-4 as a FRACTION (the official k_percent is a percentage: .2 for
    7B is 2e-3 here). On the first update of a batch the gradient of the penalty is 0.
    """

    name: ClassVar[str] = "kl_cov"
    needs: ClassVar[frozenset[str]] = frozenset({"current"})
    ratio: float = 2e-4
    beta: float = 1.0

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        cov_BT = covariance(advantages_BT, need(batch.current_logprobs_BT, "current"), batch.mask_BT)
        cov_BT = cov_BT.masked_fill(~batch.mask_BT, float("-inf"))
        count = max(1, int(self.ratio * int(batch.mask_BT.sum())))
        chosen = cov_BT.flatten().topk(min(count, cov_BT.numel())).indices
        drift_BT = torch.zeros_like(cov_BT)
        drift_BT.view(-1)[chosen] = self.beta
        return Weights(torch.ones_like(cov_BT), drift_BT * batch.mask_BT)
