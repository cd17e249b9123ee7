"""What changes when only the harness is swapped: a paired test, and the tasks that change."""

import math
from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.quality.outcomes import Counts, Estimate, interval, resamples

FALSE_DISCOVERIES = 0.05


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

    difference: Estimate
    p_value: float
    changes: tuple[TaskChange, ...]
    """Every task whose rate differs, most certain first."""


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
    means = differences[resamples(len(tasks), draws, seed)].mean(axis=1)
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
        difference=interval(differences.mean(), means),
        p_value=_sign_flip(differences, draws, seed),
        changes=tuple(sorted(changes, key=lambda change: (change.p_value, change.task))),
    )


def fisher_exact(first: int, first_total: int, second: int, second_total: int) -> float:
    """Two-sided p-value that two binomial counts come from one rate (sum of tables no likelier than the one seen)."""
    solved, total = first + second, first_total + second_total
    low, high = max(0, solved - second_total), min(first_total, solved)
    whole = math.comb(total, solved)
    chances = [math.comb(first_total, k) * math.comb(second_total, solved - k) / whole for k in range(low, high + 1)]
    seen = chances[first - low]
    return min(1.0, sum(chance for chance in chances if chance <= seen * (1 + 1e-9)))


def benjamini_hochberg(p_values: list[float], rate: float) -> list[bool]:
    """Which hypotheses may be rejected so that at most ``rate`` of the rejected ones are expected to be true."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    last = 0
    for rank, index in enumerate(order, start=1):
        if p_values[index] <= rate * rank / len(p_values):
            last = rank
    rejected = set(order[:last])
    return [index in rejected for index in range(len(p_values))]


def _sign_flip(differences: np.ndarray, draws: int, seed: int) -> float:
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(draws, len(changed)))
    sums = np.abs(signs @ changed)
    extreme = int((sums >= abs(changed.sum()) - 1e-12).sum())
    return (extreme + 1) / (draws + 1)
