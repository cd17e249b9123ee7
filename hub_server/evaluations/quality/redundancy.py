"""Do two benchmarks say the same: rank correlation of the models that both have seen."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.quality.outcomes import Estimate, Floats, interval, resamples
from hub_server.evaluations.quality.separability import Separability

REDUNDANT = 0.8


@dataclass(frozen=True)
class RankAgreement:
    """Over the models that both benchmarks have seen. None where fewer than three models or no variation."""

    model_count: int
    kendall: Estimate | None
    spearman: Estimate | None

    @property
    def is_redundant(self) -> bool:
        """For ranking: even the lower end of Kendall's interval is at least 0.8."""
        return self.kendall is not None and self.kendall.low >= REDUNDANT


def rank_agreement(
    first: Mapping[str, float], second: Mapping[str, float], draws: int = 1000, seed: int = 0
) -> RankAgreement:
    """Kendall's tau-b and Spearman's rho (bootstrap intervals over models) of two benchmarks' mean scores.

    Near 1: one of the two is redundant for ranking.
    """
    shared = sorted(first.keys() & second.keys())
    if len(shared) < 3:
        return RankAgreement(len(shared), None, None)
    x, y = np.array([first[name] for name in shared]), np.array([second[name] for name in shared])
    tau, rho = kendall_tau(x, y), _spearman(x, y)
    if tau is None or rho is None:
        return RankAgreement(len(shared), None, None)
    chosen = resamples(len(shared), draws, seed)
    return RankAgreement(
        len(shared),
        interval(tau, _kept(kendall_tau(x[one], y[one]) for one in chosen)),
        interval(rho, _kept(_spearman(x[one], y[one]) for one in chosen)),
    )


def _kept(drawn: Iterable[float | None]) -> Floats:
    """Resamples in which both sides vary."""
    return np.array([value for value in drawn if value is not None])


def _spearman(x: Floats, y: Floats) -> float | None:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])


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
    """Kendall's tau-b (Biometrika 1945); None when either side has ties only."""
    upper = np.triu_indices(len(x), 1)
    a = np.sign(x[:, None] - x[None, :])[upper]
    b = np.sign(y[:, None] - y[None, :])[upper]
    x_pairs, y_pairs = float((a != 0).sum()), float((b != 0).sum())
    if x_pairs == 0 or y_pairs == 0:
        return None
    return float((a * b).sum() / math.sqrt(x_pairs * y_pairs))


def ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean rank."""
    order = np.argsort(values, kind="stable")
    found = np.empty(len(values))
    found[order] = np.arange(1, len(values) + 1)
    for value in np.unique(values):
        same = values == value
        found[same] = found[same].mean()
    return found
