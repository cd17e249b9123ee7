"""How hard a benchmark is: pass rates, pass@k, and which share of it can still teach."""

from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.rules.quality.outcomes import Floats, Outcomes, mean_of
from schemas.measures.intervals import Interval, wilson
from schemas.measures.pass_at_k import pass_at_k


@dataclass(frozen=True)
class Hardness:
    """Over tasks: the mean pass rate, and the shares that nobody and that everybody always solves."""

    pass_rate: Interval
    never_solved: Interval
    always_solved: Interval
    task_rates: dict[str, float]


def model_pass_at_k(outcomes: Outcomes, k: int) -> dict[str, Interval]:
    """Each model's mean pass@k over its tasks with at least ``k`` attempts, with its interval over tasks."""
    found = {}
    for row, model in enumerate(outcomes.models):
        enough = outcomes.attempts[row] >= k
        if enough.any():
            pairs = np.stack([outcomes.attempts[row, enough], outcomes.successes[row, enough]], axis=1)
            distinct, places = np.unique(pairs, axis=0, return_inverse=True)
            values = np.array([pass_at_k(int(n), int(c), k) for n, c in distinct])[places.reshape(-1)]
            found[model] = mean_of(values)
    return found


def hardness(outcomes: Outcomes) -> Hardness:
    """Pass rates over models, hardness being 1 - pass rate; intervals speak of other tasks of the same kind.

    A task's rate is the plain mean over the models that tried it; a task that nobody tried is left out. A task that
    nobody solves may be hard or broken: read it only beside an audited verifier.

    Raises:
        ValueError: no task was tried.

    """
    tried = np.asarray((outcomes.attempts > 0).any(axis=0))
    tasks = [task for task, is_known in zip(outcomes.tasks, tried, strict=True) if is_known]
    rates: Floats = np.nanmean(outcomes.rates[:, tried], axis=0)
    return Hardness(
        pass_rate=mean_of(rates),
        never_solved=_share(int((rates == 0).sum()), len(rates)),
        always_solved=_share(int((rates == 1).sum()), len(rates)),
        task_rates=dict(zip(tasks, map(float, rates), strict=True)),
    )


def _share(count: int, total: int) -> Interval:
    low, high = wilson(count, total)
    return Interval(value=count / total, low=low, high=high)
