"""How often 95 % intervals over alike cases hold the truth, simulated: ``simulate_clusters.py [DRAWS]``.

Three tables: error rates over clusters of alike cases, observed pass rates over tasks, and pass rates that are
corrected for a verifier whose audit has alike cases. Every number can be had again: the seeds are fixed.
"""

import sys
from collections.abc import Sequence

import numpy as np

from schemas.evidence.rates import Measurement
from schemas.measures.clusters import cluster_share
from schemas.measures.confusion import Outcome, measure
from schemas.measures.corrected import Correction, Observed, correct, observed_interval
from schemas.measures.intervals import wilson

SHAPES: dict[str, Sequence[int]] = {
    "20 x 20": [20] * 20,
    "50 x 10": [10] * 50,
    "50 x 20": [20] * 50,
    "10 x 40": [40] * 10,
    "22 x 10 + 250 x 1": [10] * 22 + [1] * 250,
    "2 x 60 + 30 x 5 + 50 x 1": [60] * 2 + [5] * 30 + [1] * 50,
}
ALIKE = (0.0, 0.1, 0.3, 0.6)
RATES = (0.005, 0.015, 0.03, 0.1, 0.3)


def draw(random: np.random.Generator, sizes: Sequence[int], rate: float, alike: float) -> list[tuple[int, int]]:
    """(errors, cases) of each cluster; ``alike`` is the intraclass correlation (beta-binomial)."""
    if alike == 0:
        chances = np.full(len(sizes), rate)
    else:
        spread = 1 / alike - 1
        chances = random.beta(rate * spread, (1 - rate) * spread, len(sizes))
    return list(zip(random.binomial(sizes, chances).tolist(), sizes, strict=True))


def rate_coverage(sizes: Sequence[int], rate: float, alike: float, draws: int, seed: int = 0) -> float:
    """The share of draws whose interval of an error rate holds ``rate``."""
    random, hits = np.random.default_rng(seed), 0
    for _ in range(draws):
        found = cluster_share(draw(random, sizes, rate, alike))
        low, high = wilson(min(found.share * found.tries, found.tries), found.tries)
        hits += low <= rate <= high
    return hits / draws


def observed_coverage(sizes: Sequence[int], rate: float, alike: float, draws: int, seed: int = 0) -> float:
    """The share of draws whose interval of an observed pass rate holds ``rate``."""
    random, hits = np.random.default_rng(seed), 0
    for _ in range(draws):
        found = observed_interval(Observed.of(dict(enumerate(draw(random, sizes, rate, alike)))))
        hits += found.low <= rate <= found.high
    return hits / draws


def audited(random: np.random.Generator, sizes: Sequence[int], fpr: float, fnr: float, alike: float) -> Measurement:
    """An audit whose cases come in clusters on either side."""
    outcomes = []
    for must, rate in ((True, fnr), (False, fpr)):
        for name, (errors, cases) in enumerate(draw(random, sizes, rate, alike)):
            outcomes += [Outcome(must, must != (number < errors), (f"{must}/{name}",)) for number in range(cases)]
    return measure(outcomes)


def corrected_coverage(sizes: Sequence[int], true: float, alike: float, draws: int, seed: int = 0) -> float:
    """The share of draws whose corrected pass rate holds ``true``: FPR 5 %, FNR 10 %, 100 tasks tried 4 times."""
    random, hits, usable, fpr, fnr = np.random.default_rng(seed), 0, 0, 0.05, 0.10
    for _ in range(draws):
        errors = audited(random, sizes, fpr, fnr, alike)
        passed = draw(random, [4] * 100, true * (1 - fnr) + (1 - true) * fpr, 0.3)
        found = correct(Observed.of(dict(enumerate(passed))), errors)
        if isinstance(found, Correction):
            usable += 1
            hits += found.interval.low <= true <= found.interval.high
    return hits / max(usable, 1)


def main() -> None:
    """Print the three tables."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("error rates: clusters, intraclass correlation, coverage at", *RATES)
    for name, sizes in SHAPES.items():
        for alike in ALIKE:
            print(f"{name:26}", alike, *(f"{rate_coverage(sizes, one, alike, draws):.3f}" for one in RATES))
    print("observed pass rates: tasks, intraclass correlation, coverage at 0.03 0.1 0.3 0.5 0.8")
    for count, tries in ((5, 8), (10, 4), (20, 8), (50, 4), (200, 8)):
        for alike in ALIKE:
            found = [observed_coverage([tries] * count, one, alike, draws) for one in (0.03, 0.1, 0.3, 0.5, 0.8)]
            print(f"{count:4} x {tries}", alike, *(f"{one:.3f}" for one in found))
    print("corrected pass rates: audit's clusters, intraclass correlation, coverage at 0.1 0.5 0.9")
    for name in ("20 x 20", "50 x 10", "50 x 20"):
        for alike in ALIKE:
            found = [corrected_coverage(SHAPES[name], true, alike, draws // 8) for true in (0.1, 0.5, 0.9)]
            print(f"{name:26}", alike, *(f"{one:.3f}" for one in found))


if __name__ == "__main__":
    main()
