"""What changes when only the harness is swapped: a paired test, and the tasks that change."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.rules.quality.chances import (
    FALSE_DISCOVERIES,
    benjamini_hochberg,
    fisher_exact,
    mcnemar_exact,
)
from hub_server.evaluations.rules.quality.outcomes import Counts, Floats, mean_difference
from schemas.measures.intervals import Interval


@dataclass(frozen=True)
class TaskChange:
    """One task under both harnesses; ``p_value`` of Fisher's exact test, ``is_certain`` after Benjamini-Hochberg."""

    task: str
    first_rate: float
    second_rate: float
    p_value: float
    is_certain: bool


@dataclass(frozen=True)
class HarnessSensitivity:
    """``difference``: second harness minus first, in mean pass rate. ``p_value``: paired sign-flip test over tasks."""

    difference: Interval
    p_value: float
    changes: tuple[TaskChange, ...]
    """Every task whose rate differs, most certain first."""

    @property
    def gained(self) -> int:
        """Tasks that the second harness solves more often."""
        return sum(change.second_rate > change.first_rate for change in self.changes)

    @property
    def lost(self) -> int:
        """Tasks that the second harness solves less often."""
        return len(self.changes) - self.gained

    @property
    def mcnemar(self) -> float:
        """p-value that tasks change in either direction equally often (exact McNemar test)."""
        return mcnemar_exact(self.gained, self.lost)


@dataclass(frozen=True)
class TaskFlip:
    """One task over all models that ran both harnesses: how many gain by the second one, how many lose."""

    task: str
    gained: int
    lost: int
    p_value: float
    is_certain: bool


def task_flips(tasks: tuple[str, ...], differences: Sequence[Floats]) -> list[TaskFlip]:
    """Which tasks change when the harness is swapped, over all models; most certain first, unchanged ones left out.

    ``differences`` holds [N] second minus first pass rates, one row a model, NaN where a task was not tried under both.
    Each model is one pair of an exact McNemar test; Benjamini-Hochberg over the tasks that change.
    """
    matrix = np.array(differences).reshape(len(differences), len(tasks))
    gained, lost = (matrix > 0).sum(axis=0), (matrix < 0).sum(axis=0)
    changed = [place for place in range(len(tasks)) if gained[place] + lost[place]]
    p_values = [mcnemar_exact(int(gained[place]), int(lost[place])) for place in changed]
    certain = benjamini_hochberg(p_values, FALSE_DISCOVERIES)
    flips = [
        TaskFlip(tasks[place], int(gained[place]), int(lost[place]), p, sure)
        for place, p, sure in zip(changed, p_values, certain, strict=True)
    ]
    return sorted(flips, key=lambda flip: (flip.p_value, -abs(flip.gained - flip.lost), flip.task))


def harness_sensitivity(
    tasks: tuple[str, ...],
    first_successes: Counts,
    first_attempts: Counts,
    second_successes: Counts,
    second_attempts: Counts,
    *,
    draws: int = 5000,
    seed: int = 0,
) -> HarnessSensitivity:
    """Compare one model's outcomes under two harnesses on the same tasks ([N] counts each, no task without attempts).

    The overall test flips the sign of each task's difference at random (exact under exchange of the harnesses); a
    single task needs repeats before it can be certain. Sources: Fisher 1935; Benjamini & Hochberg 1995.
    """
    if not tasks or (first_attempts < 1).any() or (second_attempts < 1).any():
        raise ValueError("every task needs an attempt under both harnesses")
    first, second = first_successes / first_attempts, second_successes / second_attempts
    differences = second - first
    p_values = [
        fisher_exact(int(a), int(n), int(b), int(m))
        for a, n, b, m in zip(first_successes, first_attempts, second_successes, second_attempts, strict=True)
    ]
    certain = benjamini_hochberg(p_values, FALSE_DISCOVERIES)
    changes = [
        TaskChange(task, float(first[i]), float(second[i]), p_values[i], certain[i])
        for i, task in enumerate(tasks)
        if differences[i] != 0
    ]
    return HarnessSensitivity(
        difference=mean_difference(differences),
        p_value=_sign_flip(differences, draws, seed),
        changes=tuple(sorted(changes, key=lambda change: (change.p_value, change.task))),
    )


def _sign_flip(differences: Floats, draws: int, seed: int) -> float:
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(draws, len(changed)))
    sums = np.abs(signs @ changed)
    extreme = int((sums >= abs(changed.sum()) - 1e-12).sum())
    return (extreme + 1) / (draws + 1)
