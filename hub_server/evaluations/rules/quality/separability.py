"""Whether the benchmark can tell models apart: paired bootstrap, signal to noise, and tasks that better models fail
more often.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hub_server.evaluations.rules.quality.chances import FALSE_DISCOVERIES, benjamini_hochberg
from hub_server.evaluations.rules.quality.outcomes import Floats, Outcomes, mean_difference, resamples
from schemas.measures.intervals import Z_95, Interval, wilson

DRAWS = 2000
_SHARE_DRAWS = 200  # chosen: each compares all pairs, and only a standard error is taken
_FEWEST_FOR_CERTAINTY = 10
_ROUNDING = 1e-9
"""Noise below this is the rounding error of sums of floats, and is taken as 0."""
_Z_80 = 0.8416212335729143
"""The normal quantile of 80 % power."""


@dataclass(frozen=True)
class PairDifference:
    """``first`` minus ``second`` in mean score. They are told apart when the 95 % interval excludes zero."""

    first: str
    second: str
    difference: Interval

    @property
    def is_separated(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True)
class Separability:
    """``share`` of model pairs told apart, over ``task_count`` tasks that all models attempted."""

    share: Interval
    pairs: tuple[PairDifference, ...]
    signal: float
    noise: float
    task_count: int
    signal_to_noise: Interval | None = None
    """None when there is no noise to compare with."""


@dataclass(frozen=True)
class Discrimination:
    """Correlation of a task with the models' scores on all other tasks; None where either does not vary."""

    task: str
    correlation: Interval | None
    is_negative: bool
    """A negative one means: better models fail it more. Broken, mis-scored, or contaminated."""
    is_certain: bool = False
    """Negative beyond chance, after Benjamini-Hochberg over all tasks (5 % false discoveries)."""


def separability(outcomes: Outcomes, draws: int = DRAWS, seed: int = 0) -> Separability:
    """Compare all pairs of models over the tasks that every model attempted (paired).

    Share as in Arena-Hard (Li et al. 2024, separability with confidence), made stricter by pairing and by
    intervals that hold with few tasks; its own interval is in :func:`_share_interval`. Signal is max |m_j - m_k| /
    mean(m), noise the mean standard error over tasks / mean(m), after Signal and Noise (arXiv 2508.13144), with
    resampled tasks in place of checkpoints; their quotient has a bootstrap interval.
    """
    if draws < 1000:
        raise ValueError("a 95 % bootstrap interval needs at least 1000 draws")
    complete = outcomes.complete()
    if len(complete.tasks) < 2:
        raise ValueError("separability needs at least two tasks that every model attempted")
    rates = complete.rates
    chosen = resamples(len(complete.tasks), draws, seed)
    means = np.stack([row[chosen].mean(axis=1) for row in rates])
    pairs = tuple(
        PairDifference(
            complete.models[j],
            complete.models[k],
            mean_difference(rates[j] - rates[k]),
        )
        for j, k in combinations(range(len(complete.models)), 2)
    )
    scores = rates.mean(axis=1)
    centre = float(scores.mean())
    noise = float(means.std(axis=1).mean())
    spread = float(scores.max() - scores.min())
    return Separability(
        share=_share_interval(rates, sum(pair.is_separated for pair in pairs) / len(pairs) if pairs else 0.0, seed),
        pairs=pairs,
        signal=spread / centre if centre > 0 else 0.0,
        noise=noise / centre if centre > 0 and noise > _ROUNDING else 0.0,
        task_count=len(complete.tasks),
        signal_to_noise=_signal_to_noise(spread, means.max(axis=0) - means.min(axis=0), noise, len(complete.tasks)),
    )


def _signal_to_noise(spread: float, spreads: Floats, noise: float, tasks: int) -> Interval | None:
    """The quotient with its interval; ``spreads`` are those of the resamples.

    Where one model solves all tasks and another none, every resample has the same spread. What is uncertain then is the
    noise: a standard deviation over n tasks has a relative error of 1 / sqrt(2 (n - 1)).
    """
    if noise <= _ROUNDING:
        return None
    value = spread / noise
    if float(np.ptp(spreads)) > _ROUNDING:
        return _around(value, spreads / noise)
    half = Z_95 * max(value, 1.0) / math.sqrt(2 * (tasks - 1))
    return Interval(value=value, low=max(0.0, value - half), high=value + half)


def _around(value: float, draws: Floats, high: float = math.inf) -> Interval:
    """``value`` with 1.96 bootstrap standard errors on each side, within 0..high.

    Not the percentiles: resampling adds to every difference, so shares and spreads of resamples lie too high, and their
    reflection too low (measured: plain percentiles hold the truth 67 to 100 times in 100, these 92 to 98).
    """
    half = Z_95 * float(draws.std())
    return Interval(value=value, low=max(0.0, value - half), high=min(high, value + half))


def _share_interval(rates: Floats, share: float, seed: int) -> Interval:
    """The share's bootstrap interval over tasks.

    In each of 200 resamples a pair counts as told apart when its mean difference exceeds 1.96 standard errors.
    """
    models, tasks = rates.shape
    if models < 2:
        return Interval(value=share, low=0.0, high=1.0)
    weights = np.random.default_rng(seed + 1).multinomial(tasks, np.full(tasks, 1 / tasks), size=_SHARE_DRAWS)
    apart = np.zeros(_SHARE_DRAWS)
    for first in range(models - 1):
        differences = rates[first] - rates[first + 1 :]
        means = weights @ differences.T / tasks
        variances = np.maximum(weights @ (differences**2).T / tasks - means**2, 0.0)
        apart += (np.abs(means) > Z_95 * np.sqrt(variances / tasks)).sum(axis=1)
    pairs = models * (models - 1) // 2
    if np.ptp(apart) == 0:  # every resample agrees, so the resamples cannot say how far off the share is
        low, high = wilson(min(share * pairs, pairs), pairs)
        return Interval(value=share, low=low, high=high)
    return _around(share, apart / pairs, high=1.0)


def discriminations(outcomes: Outcomes) -> list[Discrimination]:
    """Item-rest correlation of every task that all models attempted (point-biserial for single attempts).

    Source: classical test theory; the rest score leaves the task itself out, as otherwise it correlates with itself.
    Intervals and p-values by Fisher's z (1921); below ten models it is too rough for a flag to be called certain.
    """
    complete = outcomes.complete()
    rates = complete.rates
    rest = rates.sum(axis=1, keepdims=True) - rates
    values = _correlations(rates, rest)
    z, error = np.arctanh(np.clip(values, -0.999999, 0.999999)), 1 / math.sqrt(max(len(complete.models) - 3, 1e-6))
    chances = [0.5 * math.erfc(-float(one) / error / math.sqrt(2)) if np.isfinite(one) else 1.0 for one in z]
    enough = len(complete.models) >= _FEWEST_FOR_CERTAINTY
    certain = benjamini_hochberg(chances if enough else [1.0] * len(chances), FALSE_DISCOVERIES)
    found = []
    for place, task in enumerate(complete.tasks):
        if np.isnan(values[place]):
            found.append(Discrimination(task, None, is_negative=False))
            continue
        low, high = np.tanh(z[place] - Z_95 * error), np.tanh(z[place] + Z_95 * error)
        correlation = Interval(value=float(values[place]), low=float(low), high=float(high))
        found.append(Discrimination(task, correlation, bool(values[place] < 0), certain[place]))
    return found


def tasks_needed(difference: Interval, tasks: int) -> int | None:
    """How many tasks like these would tell two models apart with 80 % power, at the difference that was seen.

    ``tasks``: how many the paired difference was measured on. Its standard error, half the 95 % interval over 1.96,
    falls with the square root of their number: n = tasks * ((z_0.975 + z_0.8) * error / difference)^2, at least 2.
    None when no difference was seen. A first guess for a plan: the difference that was seen is itself uncertain.
    """
    if difference.value == 0:
        return None
    error = (difference.high - difference.low) / (2 * Z_95)
    return max(2, math.ceil(tasks * ((Z_95 + _Z_80) * error / difference.value) ** 2))


def _correlations(first: Floats, second: Floats) -> Floats:
    """[tasks] correlation of each column with the other matrix's; NaN where either does not vary."""
    x, y = first - first.mean(axis=0), second - second.mean(axis=0)
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    return np.asarray(np.where(spread > 1e-9, (x * y).sum(axis=0) / np.where(spread > 1e-9, spread, 1.0), np.nan))
