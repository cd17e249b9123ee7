"""How many independent cases a set of similar cases is worth, and the 95 % interval of a rate over them."""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.evidence.rates import Rate
from schemas.measures.intervals import Z_95, t_95, wilson

Groups = tuple[Hashable, ...]
"""What a case has in common with others, one name for each of ``WAYS``. None where it has nothing in common;

() when it is independent of all others.
"""
WAYS: tuple[Literal["tasks", "forms", "clusters"], ...] = ("tasks", "forms", "clusters")
"""The ways in which cases can be similar: the same task, the same form of response, the same cluster named by the
author.
"""


@dataclass(frozen=True, slots=True)
class Clustered:
    """A share over clusters, in which every cluster has the same weight.

    ``tries``: how many independent cases it is worth.
    """

    share: float
    tries: float
    clusters: int


def cluster_share(counts: Sequence[tuple[int, int]]) -> Clustered:
    """The mean share over clusters, from (successes, cases) of each cluster. No cluster may be empty.

    ``tries`` = cases / design effect (Kish, Survey Sampling, 1965). The design effect is estimated from the variance
    between clusters and shrunk towards its largest value (cases / clusters) with the weight of one cluster. Only
    clusters with a success (or with a failure, if failures are rarer) carry information about it. Without any such
    cluster, ``tries`` is the number of clusters. When clusters hold several cases, a t quantile with clusters - 1
    degrees of freedom is folded into ``tries``, so that a Wilson interval on ``tries`` is as wide as one with that
    quantile. ``tries`` is at most what leaves room for wholly wrong, and wholly right, clusters that were not drawn.

    Simulated with ``scripts/simulate_clusters.py``: with an intraclass correlation of 0.3 and rates of 0.5 to 30 %, the
    interval contains the truth in at least 95 % of draws, for 20 clusters of 20, 50 of 10 and 50 of 20.

    Raises:
        ValueError: there is no cluster.

    """
    if not counts:
        raise ValueError("a mean over tasks needs at least one task")
    clusters, cases = len(counts), sum(tried for _, tried in counts)
    shares = [successes / tried for successes, tried in counts]
    share = sum(shares) / clusters
    telling = min(sum(one > 0 for one in shares), sum(one < 1 for one in shares))
    largest = cases / clusters
    binomial = share * (1 - share)
    if binomial <= 0 or largest <= 1:
        return Clustered(share, float(clusters), clusters)
    between = sum((one - share) ** 2 for one in shares) / max(clusters - 1, 1) / clusters
    found = min(max(between * cases / binomial, 1.0), largest)
    effect = (found * telling + largest) / (telling + 1)
    tries = cases / effect * (Z_95 / t_95(max(clusters - 1, 1))) ** 2
    several = [one for one, (_, tried) in zip(shares, counts, strict=True) if tried > 1]
    mirrored = [1 - one for one in several]
    unseen = (_tries_with_unseen(several, share, clusters), _tries_with_unseen(mirrored, 1 - share, clusters))
    return Clustered(share, min(tries, *unseen), clusters)


def _tries_with_unseen(several: Sequence[float], share: float, clusters: int) -> float:
    """How many tries a Wilson interval may count whose upper end allows for wholly wrong clusters that were not drawn.

    A verifier is often wrong on a whole form and nearly right on the others. With 50 forms, 3 % of them wholly wrong,
    one sample in five holds none of these and shows no correlation at all. ``several``: the shares of clusters with
    more than one case. The upper end is raised by what Wilson's interval leaves open about the wholly wrong ones.
    """
    whole = sum(one == 1 for one in several)
    rest = [one for one in several if one < 1]
    others = sum(rest) / len(rest) if rest else 0.0
    open_share = wilson(whole, len(several))[1] - whole / len(several)
    more = len(several) / clusters * (1 - others) * open_share
    end = share + more
    return Z_95**2 * end * (1 - end) / more**2 if more > 0 and end < 1 else math.inf


def clustered_rate(cases: Iterable[tuple[bool, Groups]]) -> Rate:
    """The rate of errors among cases, given as (is an error, what it has in common with others) for each case.

    ``value`` is errors / cases, or None without a case. The cases are grouped in every way that ``Groups`` names. The
    way that leaves the fewest independent cases is used, because cases of one form are not independent merely because
    their tasks differ.

    The interval is that of the mean over clusters, and always contains ``value``. Its upper end is at least that of as
    many clusters without an error, and its lower end at most that of clusters without a success: one more error must
    never look like better evidence.
    """
    found = list(cases)
    errors, total = sum(error for error, _ in found), len(found)
    if not total:
        return Rate(value=None, low=0.0, high=1.0)
    ways = max(len(groups) for _, groups in found)
    views = [cluster_share(_counts(found, way)) for way in range(ways)] or [Clustered(errors / total, total, total)]
    way, fewest = min(enumerate(views), key=lambda item: (item[1].tries, item[1].clusters))
    is_grouped = fewest.clusters < total
    ends = [_ends(view) for view in views]
    value = errors / total
    return Rate(
        value=value,
        low=min(value, *(low for low, _ in ends)),
        high=max(value, *(high for _, high in ends)),
        clusters=fewest.clusters if is_grouped else None,
        tries=fewest.tries if is_grouped else None,
        alike=WAYS[way] if is_grouped else "",
    )


def _ends(view: Clustered) -> tuple[float, float]:
    low, high = wilson(min(view.share * view.tries, view.tries), view.tries)
    return min(low, wilson(view.clusters, view.clusters)[0]), max(high, wilson(0, view.clusters)[1])


def _counts(cases: Sequence[tuple[bool, Groups]], way: int) -> list[tuple[int, int]]:
    """(errors, cases) of every cluster. A case that has no name in this way is a cluster of its own."""
    counts: dict[Hashable, list[int]] = {}
    for number, (error, groups) in enumerate(cases):
        name = groups[way] if way < len(groups) else None
        count = counts.setdefault(("alone", number) if name is None else ("named", name), [0, 0])
        count[0] += error
        count[1] += 1
    return [(errors, total) for errors, total in counts.values()]
