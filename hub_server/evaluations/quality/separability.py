"""Can the benchmark tell models apart: paired bootstrap, signal to noise, and tasks that point the wrong way."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hub_server.evaluations.quality.outcomes import Estimate, Floats, Outcomes, interval, resamples

DRAWS = 2000


@dataclass(frozen=True)
class PairDifference:
    """``first`` minus ``second`` in mean score. They are told apart when the 95 % interval excludes zero."""

    first: str
    second: str
    difference: Estimate

    @property
    def is_separated(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True)
class Separability:
    """``share`` of model pairs told apart, over ``task_count`` tasks that all models attempted."""

    share: float
    pairs: tuple[PairDifference, ...]
    signal: float
    noise: float
    task_count: int

    @property
    def signal_to_noise(self) -> float | None:
        """None when there is no noise to compare with."""
        return self.signal / self.noise if self.noise > 0 else None


@dataclass(frozen=True)
class Discrimination:
    """Correlation of a task with the models' scores on all other tasks; None where either does not vary."""

    task: str
    correlation: float | None
    is_negative: bool
    """A negative one means: better models fail it more. Broken, mis-scored, or contaminated."""


def separability(outcomes: Outcomes, draws: int = DRAWS, seed: int = 0) -> Separability:
    """Compare all pairs of models by a bootstrap over tasks, the same tasks for both (paired).

    Share as in Arena-Hard (Li et al. 2024, separability with confidence), made stricter by pairing and with 95 %
    intervals of at least 1,000 draws. Signal is max |m_j - m_k| / mean(m), noise the mean standard error over tasks /
    mean(m), after Signal and Noise (arXiv 2508.13144), with resampled tasks in place of checkpoints.
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
            interval(rates[j].mean() - rates[k].mean(), means[j] - means[k]),
        )
        for j, k in combinations(range(len(complete.models)), 2)
    )
    scores = rates.mean(axis=1)
    centre = float(scores.mean())
    return Separability(
        share=sum(pair.is_separated for pair in pairs) / len(pairs) if pairs else 0.0,
        pairs=pairs,
        signal=float(scores.max() - scores.min()) / centre if centre > 0 else 0.0,
        noise=float(means.std(axis=1).mean()) / centre if centre > 0 else 0.0,
        task_count=len(complete.tasks),
    )


def discriminations(outcomes: Outcomes) -> list[Discrimination]:
    """Item-rest correlation of every task that all models attempted (point-biserial for single attempts).

    Source: classical test theory; the rest score leaves the task itself out, as otherwise it correlates with itself.
    """
    complete = outcomes.complete()
    rates = complete.rates
    total = rates.sum(axis=1)
    found = []
    for column, task in enumerate(complete.tasks):
        value = _correlation(rates[:, column], total - rates[:, column])
        found.append(Discrimination(task, value, is_negative=value is not None and value < 0))
    return found


def runs_needed(first_rate: float, second_rate: float) -> int:
    """Attempts a model to see the difference of two pass rates with 80 % power at 5 % (two-sided).

    n = (z_a/2 + z_b)^2 (p1 (1 - p1) + p2 (1 - p2)) / d^2.
    """
    difference = abs(first_rate - second_rate)
    if difference == 0:
        raise ValueError("equal rates cannot be told apart by any number of runs")
    z = 1.959963984540054 + 0.8416212335729143
    variance = first_rate * (1 - first_rate) + second_rate * (1 - second_rate)
    return int(np.ceil(z**2 * variance / difference**2))


def _correlation(first: Floats, second: Floats) -> float | None:
    if first.std() < 1e-12 or second.std() < 1e-12:
        return None
    return float(np.corrcoef(first, second)[0, 1])
