"""Do two benchmarks say the same: rank correlation of the models that both have seen."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hub_server.evaluations.quality.outcomes import Estimate, Floats, interval, resamples
from hub_server.evaluations.quality.separability import Separability


@dataclass(frozen=True)
class RankAgreement:
    """Over the models that both benchmarks have seen. None where fewer than three models or no variation."""

    model_count: int
    kendall: Estimate | None
    spearman: float | None


def rank_agreement(
    first: Mapping[str, float], second: Mapping[str, float], draws: int = 1000, seed: int = 0
) -> RankAgreement:
    """Kendall's tau-b (bootstrap interval over models) and Spearman's rho of two benchmarks' mean scores.

    Near 1: one of the two is redundant for ranking.
    """
    shared = sorted(first.keys() & second.keys())
    if len(shared) < 3:
        return RankAgreement(len(shared), None, None)
    x, y = np.array([first[name] for name in shared]), np.array([second[name] for name in shared])
    tau = kendall_tau(x, y)
    if tau is None:
        return RankAgreement(len(shared), None, None)
    drawn = [kendall_tau(x[chosen], y[chosen]) for chosen in resamples(len(shared), draws, seed)]
    kept = np.array([value for value in drawn if value is not None])
    rho = float(np.corrcoef(ranks(x), ranks(y))[0, 1])
    return RankAgreement(len(shared), interval(tau, kept), rho)


def agreement_with_confidence(first: Separability, second: Separability) -> float:
    """Mean over shared pairs: +1 when both tell them apart the same way, -1 the opposite way, 0 when either cannot.

    Source: Arena-Hard (Li et al. 2024).
    """
    other = {(pair.first, pair.second): pair for pair in second.pairs}
    scores = []
    for pair in first.pairs:
        match = other.get((pair.first, pair.second))
        if match is not None:
            same = (pair.difference.value > 0) == (match.difference.value > 0)
            scores.append((1 if same else -1) if pair.is_separated and match.is_separated else 0)
    return sum(scores) / len(scores) if scores else 0.0


def kendall_tau(x: Floats, y: Floats) -> float | None:
    """Kendall's tau-b; None when either side has ties only."""
    concordant = discordant = 0
    x_pairs = y_pairs = 0
    for i, j in combinations(range(len(x)), 2):
        a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        x_pairs += a != 0
        y_pairs += b != 0
        concordant += a * b > 0
        discordant += a * b < 0
    if x_pairs == 0 or y_pairs == 0:
        return None
    return float((concordant - discordant) / np.sqrt(float(x_pairs) * float(y_pairs)))


def ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean rank."""
    order = np.argsort(values, kind="stable")
    found = np.empty(len(values))
    found[order] = np.arange(1, len(values) + 1)
    for value in np.unique(values):
        same = values == value
        found[same] = found[same].mean()
    return found
