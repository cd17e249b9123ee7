"""Percentiles of a sample."""

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float | None:
    """The ``share`` quantile (0..1) by linear interpolation between order statistics; None without values.

    Raises:
        ValueError: ``share`` lies outside 0..1, or a value is not a number.

    """
    if not 0 <= share <= 1 or any(math.isnan(value) for value in values):
        raise ValueError("a percentile needs a share in 0..1 and numbers, not NaN")
    if not values:
        return None
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
