"""How hard a benchmark is: pass rates, pass@k, and what of it can teach."""

import math
from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.quality.outcomes import Estimate, Floats, Outcomes, interval, resamples
from schemas.rates import Observed, observed_interval


@dataclass(frozen=True)
class Hardness:
    """Over tasks: the mean pass rate, and the shares that nobody and that everybody always solves."""

    pass_rate: Estimate
    never_solved: Estimate
    always_solved: Estimate
    task_rates: dict[str, float]


def pass_at_k(attempts: int, successes: int, k: int) -> float:
    """Chance that at least one of ``k`` tries succeeds, from ``successes`` in ``attempts`` (unbiased).

    1 - C(n-c, k) / C(n, k). Source: Chen et al., Evaluating Large Language Models Trained on Code, 2021.
    """
    if not 0 <= successes <= attempts or not 1 <= k <= attempts:
        raise ValueError(f"need 0 <= successes <= attempts and 1 <= k <= attempts, not {successes}, {attempts}, k={k}")
    return 1.0 - math.comb(attempts - successes, k) / math.comb(attempts, k)


def model_pass_at_k(outcomes: Outcomes, k: int, draws: int = 1000, seed: int = 0) -> dict[str, Estimate]:
    """Each model's mean pass@k over its tasks with at least ``k`` attempts, with a bootstrap interval over tasks."""
    found = {}
    for row, model in enumerate(outcomes.models):
        enough = outcomes.attempts[row] >= k
        if enough.any():
            pairs = np.stack([outcomes.attempts[row, enough], outcomes.successes[row, enough]], axis=1)
            distinct, places = np.unique(pairs, axis=0, return_inverse=True)
            values = np.array([pass_at_k(int(n), int(c), k) for n, c in distinct])[places.reshape(-1)]
            found[model] = interval(values.mean(), values[resamples(len(values), draws, seed)].mean(axis=1))
    return found


def hardness(outcomes: Outcomes, draws: int = 1000, seed: int = 0) -> Hardness:
    """Pass rates over models, hardness being 1 - pass rate; intervals speak of other tasks of the same kind.

    Of the pass rate a bootstrap over tasks, of the two shares Wilson's (1927). A task that nobody solves may be hard or
    broken: read it only beside an audited verifier.
    """
    rates: Floats = np.nanmean(outcomes.rates, axis=0)
    means = rates[resamples(len(rates), draws, seed)].mean(axis=1)
    return Hardness(
        pass_rate=interval(rates.mean(), means),
        never_solved=_share(int((rates == 0).sum()), len(rates)),
        always_solved=_share(int((rates == 1).sum()), len(rates)),
        task_rates=dict(zip(outcomes.tasks, map(float, rates), strict=True)),
    )


def _share(count: int, total: int) -> Estimate:
    found = observed_interval(Observed(count / total, total))
    return Estimate(found.value, found.low, found.high)


def mixed_group_chance(pass_rate: float, group_size: int) -> float:
    """Chance that a group of rollouts has both a success and a failure, and so a gradient: 1 - p^G - (1-p)^G."""
    return 1.0 - pass_rate**group_size - (1.0 - pass_rate) ** group_size
