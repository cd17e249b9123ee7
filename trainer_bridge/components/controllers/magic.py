"""Skywork-OR1's adaptive entropy coefficient (MAGIC)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from trainer_bridge.batch import State


@dataclass(frozen=True)
class Magic:
    """c <- clip(c + delta if H < target else c - delta, low, high); alpha = c 1{H < target} for the next step.

    Source: arXiv 2505.22312, Skywork-OR1 [A]; c0 0, target .2, delta 1e-4, c in [0, .005]. H is the last step's metric
    ``entropy`` (exact; the official code measures -mean lp). Comparison strict; TRL's is <=.
    """

    name: ClassVar[str] = "magic"
    initial: float = 0.0
    target: float = 0.2
    delta: float = 1e-4
    low: float = 0.0
    high: float = 0.005

    def __call__(self, state: State, metrics: Mapping[str, float]) -> None:
        coefficient = float(state.memory.get("magic", self.initial))
        below = metrics["entropy"] < self.target
        coefficient = min(max(coefficient + (self.delta if below else -self.delta), self.low), self.high)
        state.memory["magic"] = coefficient
        state.coefficients["entropy"] = coefficient if below else 0.0
