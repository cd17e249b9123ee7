"""EPO: an entropy bonus that also keeps each token's entropy near the past."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from trainer_bridge.batch import Batch, State


@dataclass(frozen=True)
class Epo:
    """-lam [H - beta_k alpha P], P = max(0, low Hbar - H) + max(0, H - high Hbar), beta_k = 1 + exp(-gamma k / k_mid).

    Hbar, the mean of past steps' mean entropies, is ``state.memory["entropy_history_mean"]`` (controller
    ``entropy_history``); without it P = 0. Source: arXiv 2509.22576, the paper's form [B]; lam .001, alpha 1, .8 / 1.2.
    The official code's penalty has no gradient (``variant`` "official_code" gives that: a plain bonus).
    """

    name: ClassVar[str] = "epo"
    coefficient: float = 0.001
    alpha: float = 1.0
    low: float = 0.8
    high: float = 1.2
    gamma: float = 1.0
    total_steps: int = 100
    variant: str = "paper"

    def __call__(self, logprobs_BT: Tensor, entropy_BT: Tensor, batch: Batch, state: State) -> Tensor:  # noqa: ARG002 -- every regularizer has this shape
        history = state.memory.get("entropy_history_mean")
        if history is None:
            return -self.coefficient * entropy_BT
        penalty_BT = self.penalty(entropy_BT, float(history))
        if self.variant == "official_code":
            penalty_BT = penalty_BT.detach()
        return -self.coefficient * (entropy_BT - self.schedule(state.step) * self.alpha * penalty_BT)

    def penalty(self, entropy_BT: Tensor, history: float) -> Tensor:
        """P, token by token."""
        return torch.relu(self.low * history - entropy_BT) + torch.relu(entropy_BT - self.high * history)

    def schedule(self, step: int) -> float:
        """beta_k."""
        return 1 + math.exp(-self.gamma * step / max(self.total_steps // 2, 1))
