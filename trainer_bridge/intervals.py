"""95 % intervals of a mean over tasks, and whether a change is outside noise."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_RESAMPLES = 4000
_Z = 1.959963984540054


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval; ``count`` tasks. All NaN where nothing was judged."""

    value: float
    low: float
    high: float
    count: int


def mean_interval(values: Floats) -> Mean:
    """Mean over tasks of judged values (NaN left out).

    Wilson's interval where every value is 0 or 1 (a bootstrap of all-right answers has width 0), else the percentile
    bootstrap over tasks, seeded, so that the same values give the same interval.
    """
    judged = values[~np.isnan(values)]
    if len(judged) == 0:
        return Mean(float("nan"), float("nan"), float("nan"), 0)
    if np.isin(judged, (0.0, 1.0)).all():
        low, high = _wilson(float(judged.sum()), len(judged))
    else:
        low, high = _bootstrap(judged)
    return Mean(float(judged.mean()), low, high, len(judged))


def paired_change(before: Floats, after: Floats) -> Mean:
    """Mean of after - before over the tasks judged both times, with its bootstrap interval."""
    difference = after - before
    judged = difference[~np.isnan(difference)]
    if len(judged) == 0:
        return Mean(float("nan"), float("nan"), float("nan"), 0)
    low, high = _bootstrap(judged)
    return Mean(float(judged.mean()), low, high, len(judged))


def is_outside_noise(change: Mean) -> bool:
    """Whether the interval of the change leaves out 0."""
    return change.count > 1 and (change.low > 0 or change.high < 0)


def _bootstrap(values: Floats) -> tuple[float, float]:
    draws = np.random.default_rng(0).integers(0, len(values), size=(_RESAMPLES, len(values)))
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _wilson(successes: float, count: int) -> tuple[float, float]:
    share = successes / count
    centre = share + _Z**2 / (2 * count)
    spread = _Z * sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2))
    scale = 1 + _Z**2 / count
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
