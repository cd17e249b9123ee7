"""The mean of all past steps' entropies, for EPO."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from trainer_bridge.batch import State


@dataclass(frozen=True)
class EntropyHistory:
    """``state.memory["entropy_history_mean"]`` = running mean of metric ``entropy``."""

    name: ClassVar[str] = "entropy_history"

    def __call__(self, state: State, metrics: Mapping[str, float]) -> None:
        count = int(state.memory.get("entropy_history_count", 0))
        mean = float(state.memory.get("entropy_history_mean", 0.0))
        state.memory["entropy_history_count"] = count + 1
        state.memory["entropy_history_mean"] = mean + (metrics["entropy"] - mean) / (count + 1)
