"""Reward against entropy: R = -a e^H + b, and the ceiling it foretells."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class EntropyLaw:
    """Fitted R = -a e^H + b. ``ceiling`` is R at H = 0: what is left when all entropy is spent."""

    a: float
    b: float

    @property
    def ceiling(self) -> float:
        """-a + b."""
        return self.b - self.a


def fit_entropy_law(entropies: Sequence[float], rewards: Sequence[float]) -> EntropyLaw | None:
    """Least squares on e^H; None for fewer than three points or one entropy only. Source: arXiv 2505.22617 [A]."""
    x = np.exp(np.asarray(entropies, dtype=np.float64))
    if len(x) < 3 or np.ptp(x) < 1e-9:
        return None
    slope, intercept = np.polyfit(x, np.asarray(rewards, dtype=np.float64), 1)
    return EntropyLaw(a=float(-slope), b=float(intercept))
