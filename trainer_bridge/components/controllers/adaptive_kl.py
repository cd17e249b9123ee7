"""A KL coefficient that steers towards a target."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from trainer_bridge.batch import State


@dataclass(frozen=True)
class AdaptiveKl:
    """beta <- beta (1 + clip(kl / target - 1, -.2, .2) * n / horizon), n completions a step.

    Source: arXiv 1909.08593 as in verl ``AdaptiveKLController`` [A]. Reads metrics ``kl`` and ``num_completions``.
    """

    name: ClassVar[str] = "adaptive_kl"
    initial: float = 0.001
    target: float = 0.1
    horizon: float = 10000.0

    def __call__(self, state: State, metrics: Mapping[str, float]) -> None:
        error = min(max(metrics.get("kl", self.target) / self.target - 1, -0.2), 0.2)
        factor = 1 + error * metrics.get("num_completions", 0.0) / self.horizon
        state.coefficients["kl"] = state.coefficients.get("kl", self.initial) * factor
