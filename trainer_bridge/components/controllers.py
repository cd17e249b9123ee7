"""Coefficients that adapt from step to step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from trainer_bridge.batch import State
from trainer_bridge.components.contract import NotNegative, Positive
from trainer_bridge.errors import RecipeError

# A KL coefficient that steers towards a target


@dataclass(frozen=True)
class AdaptiveKl:
    """beta <- beta (1 + clip(kl / target - 1, -.2, .2) * n / horizon), n completions a step; it begins at ``kl.beta``.

    Source: arXiv 1909.08593 as in verl ``AdaptiveKLController`` [A]. Reads metrics ``kl`` and ``num_completions``.
    """

    name: ClassVar[str] = "adaptive_kl"
    target: Positive = 0.1
    horizon: Positive = 10000.0

    def check(self, recipe: Any) -> None:
        if not any(part.name == "kl" and part.beta > 0 for part in recipe.regularizers):
            raise RecipeError('adaptive_kl needs a KL term: add regularizers = ["kl"]')

    def __call__(self, state: State, metrics: Mapping[str, float]) -> None:
        error = min(max(metrics.get("kl", self.target) / self.target - 1, -0.2), 0.2)
        factor = 1 + error * metrics.get("num_completions", 0.0) / self.horizon
        state.coefficients["kl"] = state.coefficients.get("kl", 1.0) * factor


# Skywork-OR1's adaptive entropy coefficient (MAGIC)


@dataclass(frozen=True)
class Magic:
    """c <- clip(c + delta if H < target else c - delta, low, high); alpha = c 1{H < target} for the next step.

    Source: arXiv 2505.22312, Skywork-OR1 [A]; c0 0, target .2, delta 1e-4, c in [0, .005]. H is the last step's metric
    ``entropy`` (exact; the official code measures -mean lp). Comparison strict; TRL's is <=.
    """

    name: ClassVar[str] = "magic"
    initial: NotNegative = 0.0
    target: Positive = 0.2
    delta: Positive = 1e-4
    low: NotNegative = 0.0
    high: NotNegative = 0.005

    def check(self, recipe: Any) -> None:
        found = [part for part in recipe.regularizers if part.name == "entropy"]
        if not found or found[0].coefficient != 0:
            raise RecipeError(
                "magic sets the coefficient of an entropy bonus, which must be there and begin at 0: "
                'regularizers = [{ name = "entropy", coefficient = 0.0 }]'
            )

    def __call__(self, state: State, metrics: Mapping[str, float]) -> None:
        coefficient = float(state.memory.get("magic", self.initial))
        below = metrics["entropy"] < self.target
        coefficient = min(max(coefficient + (self.delta if below else -self.delta), self.low), self.high)
        state.memory["magic"] = coefficient
        state.coefficients["entropy"] = coefficient if below else 0.0


# The mean of all past steps' entropies, for EPO


@dataclass(frozen=True)
class EntropyHistory:
    """``state.memory["entropy_history_mean"]`` = running mean of metric ``entropy``."""

    name: ClassVar[str] = "entropy_history"

    def __call__(self, state: State, metrics: Mapping[str, float]) -> None:
        count = int(state.memory.get("entropy_history_count", 0))
        mean = float(state.memory.get("entropy_history_mean", 0.0))
        state.memory["entropy_history_count"] = count + 1
        state.memory["entropy_history_mean"] = mean + (metrics["entropy"] - mean) / (count + 1)
