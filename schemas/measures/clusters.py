"""As how many independent cases a set of alike cases counts, and the 95 % interval of a rate over them."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.audit import Rate
from schemas.measures.intervals import Z_95, t_95, wilson

Groups = tuple[Hashable, ...]
"""What a case is alike with others in, one name for each of ``WAYS``, None where it has none; () for nothing."""
WAYS: tuple[Literal["tasks", "forms", "clusters"], ...] = ("tasks", "forms", "clusters")
"""The same task, the same form of response, the same cluster as its author says."""


@dataclass(frozen=True, slots=True)
class Clustered:
    """A share over clusters: every cluster counts once. ``tries``: independent cases that know as much."""

    share: float
    tries: float
    clusters: int


def cluster_share(counts: Sequence[tuple[int, int]]) -> Clustered:
    """The mean share over clusters, from (successes, cases) of each, no cluster without a case.

    ``tries`` = cases / design effect (Kish, Survey Sampling, 1965). The design effect is estimated from the variance
    between clusters, and drawn towards its largest value (cases / clusters) with the weight of one cluster: only
    clusters with a success (or a failure, where those are rarer) say anything about it. Without any, ``tries`` is the
    number of clusters. Where clusters hold several cases, a t quantile with clusters - 1 degrees of freedom is put into
    ``tries``, so that a Wilson interval on it is the wider one that a t quantile gives.

    Simulated (``scripts/simulate_clusters.py``): with an intraclass correlation of 0.3 and rates of 0.5 to 30 % the
    Wilson interval on ``tries`` holds the truth at least 95 times in 100 for 20 clusters of 20, 50 of 10 and 50 of 20.

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
    return Clustered(share, cases / effect * (Z_95 / t_95(max(clusters - 1, 1))) ** 2, clusters)


def clustered_rate(cases: Iterable[tuple[bool, Groups]]) -> Rate:
    """The rate of errors among cases, each (is an error, what it is alike in). ``value`` is None without a case.

    The cases are grouped in every way that ``Groups`` names, and the way that leaves the fewest independent cases
    decides: cases that share their form are no more independent because their tasks differ. ``value`` is errors /
    cases; the interval is that of the mean over clusters and always holds ``value``. Its upper end is never below the
    one that as many clusters without an error have (and its lower end never above that of clusters without a success):
    an error more must not look like better evidence.
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
    """(errors, cases) of every cluster; a case that has no name for this way is a cluster of its own."""
    counts: dict[Hashable, list[int]] = {}
    for number, (error, groups) in enumerate(cases):
        name = groups[way] if way < len(groups) else None
        count = counts.setdefault(("alone", number) if name is None else ("named", name), [0, 0])
        count[0] += error
        count[1] += 1
    return [(errors, total) for errors, total in counts.values()]
