"""Outcomes of an evaluation: how often each model solved each task."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from schemas.measures.intervals import Z_95, Interval, mean_interval, paired_interval

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Outcomes:
    """``successes[m, t]`` of ``attempts[m, t]`` tries of model m on task t. No attempt = not known, never zero."""

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    successes: Counts
    attempts: Counts

    def __post_init__(self) -> None:
        shape = (len(self.models), len(self.tasks))
        if self.successes.shape != shape or self.attempts.shape != shape:
            raise ValueError(f"successes and attempts must have the shape {shape} (models, tasks)")
        if (self.successes < 0).any() or (self.successes > self.attempts).any():
            raise ValueError("successes must lie between 0 and attempts")

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, bool]]) -> Self:
        """From (model, task, solved) rows in any order; rows of the same pair add up."""
        known = list(rows)
        models = tuple(sorted({model for model, _, _ in known}))
        tasks = tuple(sorted({task for _, task, _ in known}))
        places = {name: index for index, name in enumerate(models)}
        columns = {name: index for index, name in enumerate(tasks)}
        successes = np.zeros((len(models), len(tasks)), dtype=np.int64)
        attempts = np.zeros_like(successes)
        for model, task, solved in known:
            attempts[places[model], columns[task]] += 1
            successes[places[model], columns[task]] += solved
        return cls(models, tasks, successes, attempts)

    @property
    def rates(self) -> Floats:
        """[models, tasks] pass rates; NaN where there is no attempt."""
        with np.errstate(invalid="ignore"):
            return np.where(self.attempts > 0, self.successes / np.maximum(self.attempts, 1), np.nan)

    def complete(self) -> Self:
        """Only the tasks that every model attempted: what comparisons between models must rest on."""
        known = np.asarray((self.attempts > 0).all(axis=0))
        tasks = tuple(task for task, keep in zip(self.tasks, known, strict=True) if keep)
        return type(self)(self.models, tasks, self.successes[:, known], self.attempts[:, known])


def mean_of(shares: Floats) -> Interval:
    """The mean of one share (0..1) a task, with the interval that also stands when all tasks agree."""
    return mean_interval([float(share) for share in shares])


def mean_difference(differences: Floats) -> Interval:
    """The mean of one paired difference (-1..1) a task, with an interval that is never empty."""
    return paired_interval([float(one) for one in differences])


def resamples(count: int, draws: int, seed: int) -> Counts:
    """[draws, count] indices drawn with replacement; the same seed gives the same draws."""
    return np.random.default_rng(seed).integers(0, count, size=(draws, count))


def jackknife(value: float, without: Sequence[float], low: float = 0.0, high: float = math.inf) -> Interval:
    """The 95 % interval of ``value`` from its values with one group of tasks left out each, within low..high.

    SE^2 = (g - 1) / g * sum (v_g - mean v)^2: the delete-a-group jackknife (Efron & Stein, Annals of Statistics 1981).
    A number of distinct things grows with the tasks looked at, so a bootstrap, which repeats tasks, would be biased.
    """
    groups = np.asarray(without, dtype=np.float64)
    count = len(groups)
    error = math.sqrt((count - 1) / count * float(((groups - groups.mean()) ** 2).sum())) if count > 1 else 0.0
    if error < 1e-9:  # nothing varied but rounding, so the data cannot say how far off the value is
        return Interval(value=value, low=min(low, value), high=max(high, value))
    return Interval(value=value, low=max(low, value - Z_95 * error), high=min(high, value + Z_95 * error))


def groups_of(count: int, groups: int, seed: int = 0) -> list[Counts]:
    """Indices 0..count - 1 in ``groups`` random parts of nearly equal size (fewer where there are fewer indices)."""
    order = np.random.default_rng(seed).permutation(count)
    return [part for part in np.array_split(order, min(groups, count)) if len(part)]
