"""Clip-Cov: a few tokens of high covariance do not learn."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, need
from trainer_bridge.components.surrogates.clip import Clip
from trainer_bridge.components.token_weights.weights import Weights, covariance


@dataclass(frozen=True)
class ClipCov:
    """Zero the loss of n random tokens with low < cov < high, n = max(int(ratio * tokens), 1).

    Tokens that PPO clips already are no candidates. Source: arXiv 2505.22617, verl, entmech [A]; ratio 2e-4, 1, 5, clip
    bounds 1 / 1 in its scripts. The draw is seeded, so a run can be repeated.
    """

    name: ClassVar[str] = "clip_cov"
    needs: ClassVar[frozenset[str]] = frozenset({"current", "old"})
    ratio: float = 2e-4
    low: float = 1.0
    high: float = 5.0
    epsilon: float = 1.0
    epsilon_high: float = 1.0
    seed: int = 0

    def __call__(self, advantages_BT: Tensor, batch: Batch) -> Weights:
        current_BT, old_BT = need(batch.current_logprobs_BT, "current"), need(batch.old_logprobs_BT, "old")
        terms = Clip(self.epsilon, self.epsilon_high)(current_BT, old_BT, advantages_BT, batch.mask_BT)
        cov_BT = covariance(advantages_BT, current_BT, batch.mask_BT)
        free_BT = batch.mask_BT & ~terms.clipped_low_BT & ~terms.clipped_high_BT
        candidates = ((cov_BT > self.low) & (cov_BT < self.high) & free_BT).nonzero()
        count = min(max(int(self.ratio * int(batch.mask_BT.sum())), 1), len(candidates))
        order = torch.randperm(len(candidates), generator=torch.Generator().manual_seed(self.seed))
        chosen = candidates[order[:count].to(candidates.device)]
        keep_BT = torch.ones_like(cov_BT)
        keep_BT[chosen[:, 0], chosen[:, 1]] = 0.0
        return Weights.scaling(keep_BT)
