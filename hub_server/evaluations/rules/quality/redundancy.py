"""Whether two benchmarks give the same ranking: rank correlation of the models that both have seen."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hub_server.evaluations.rules.quality.outcomes import Floats
from schemas.measures.intervals import Interval, wilson

REDUNDANT = 0.8  # chosen, not measured


@dataclass(frozen=True)
class RankAgreement:
    """Over the models that both benchmarks have seen. None where fewer than three models or no variation."""

    model_count: int
    kendall: Interval | None
    spearman: Interval | None

    @property
    def is_redundant(self) -> bool:
        """For ranking: even the lower end of Kendall's interval is at least 0.8."""
        return self.kendall is not None and self.kendall.low >= REDUNDANT


def rank_agreement(first: Mapping[str, float], second: Mapping[str, float]) -> RankAgreement:
    """Kendall's tau-b and Spearman's rho of two benchmarks' mean scores (model -> score), with 95 % intervals.

    Near 1: one of the two is redundant for ranking. A bootstrap over models would say "1 to 1" wherever three models
    stand in the same order by chance, so both intervals are Wilson's, of the share (1 + r) / 2: for tau on
    :func:`_independent_pairs`, for rho on the number of models less 2. Simulated with bivariate normal scores: that of
    tau covers at least 96 times in 100 from three models on; that of rho 92 times from four on, 87 times with three.
    """
    shared = sorted(first.keys() & second.keys())
    if len(shared) < 3:
        return RankAgreement(len(shared), None, None)
    x, y = np.array([first[name] for name in shared]), np.array([second[name] for name in shared])
    tau, rho = kendall_tau(x, y), _spearman(x, y)
    if tau is None or rho is None:
        return RankAgreement(len(shared), None, None)
    return RankAgreement(
        len(shared), _correlation(tau, _independent_pairs(x, y)), _correlation(rho, float(len(shared) - 2))
    )


def _correlation(value: float, tries: float) -> Interval:
    """A rank correlation (-1..1) with Wilson's interval of the share (1 + value) / 2 on ``tries`` tries."""
    share = min(max((1 + value) / 2, 0.0), 1.0)
    low, high = wilson(min(share * tries, tries), tries)
    return Interval(value=value, low=min(2 * low - 1, value), high=max(2 * high - 1, value))


def _independent_pairs(x: Floats, y: Floats) -> float:
    """As how many independent pairs of models the n (n - 1) / 2 pairs count, at least n / 2.

    p (1 - p) / SE^2, where p is the share of pairs in the same order and SE^2 = 4 / n times the variance of each
    model's own share: the first term of a U-statistic's variance; Hoeffding, Annals of Mathematical Statistics 19,
    1948, who also proves n / 2. The variance is drawn towards p (1 - p) with the weight of one model. Where every pair
    agrees, it is n^2 / 8, to which the formula tends when one pair of many does not.
    """
    count = len(x)
    order = np.sign(x[:, None] - x[None, :]) * np.sign(y[:, None] - y[None, :])
    own = (order.sum(axis=1) / (count - 1) + 1) / 2
    share = float(own.mean())
    binomial = share * (1 - share)
    if binomial < 1e-12:
        return max(count / 2, count**2 / 8)
    variance = 4 / count * (float(((own - share) ** 2).sum()) + binomial) / count
    return min(max(binomial / variance, count / 2), count * (count - 1) / 2)


def _spearman(x: Floats, y: Floats) -> float | None:
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])


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
