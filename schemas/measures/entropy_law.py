"""Reward against entropy during training: R = b - a e^H, and the reward that remains when entropy reaches 0."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_FEWEST_POINTS = 6  # chosen: three for each of the law's two parameters
_MOST_ENTROPY = 50.0  # nats; no vocabulary has e^50 tokens, and a stranger's run may say anything


@dataclass(frozen=True)
class EntropyLaw:
    """R = ``b`` - ``a`` e^H, least squares over the points of one run (Cui et al. 2025, arXiv 2505.22617)."""

    a: float
    b: float
    explained: float
    """Share of the variance of R that the fit explains, 0 to 1."""

    @property
    def ceiling(self) -> float:
        """The reward R at entropy H = 0."""
        return self.b - self.a

    def at(self, entropy: float) -> float:
        """R at ``entropy`` nats."""
        return self.b - self.a * math.exp(entropy)


def fit_entropy_law(points: Sequence[tuple[float, float]]) -> EntropyLaw | None:
    """Fit (entropy in nats, reward) pairs.

    None with fewer than six pairs, when either does not vary, when a number is not finite, or when an entropy exceeds
    50 nats (more than any vocabulary allows: e^50 tokens).
    """
    if len(points) < _FEWEST_POINTS:
        return None
    if not all(math.isfinite(reward) and abs(entropy) <= _MOST_ENTROPY for entropy, reward in points):
        return None
    xs = [math.exp(entropy) for entropy, _ in points]
    ys = [reward for _, reward in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread_x = sum((x - mean_x) ** 2 for x in xs)
    spread_y = sum((y - mean_y) ** 2 for y in ys)
    if spread_x < 1e-12 or spread_y < 1e-12:
        return None
    shared = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    slope = shared / spread_x
    return EntropyLaw(a=-slope, b=mean_y - slope * mean_x, explained=shared**2 / (spread_x * spread_y))
