"""How far people agree on labels: Krippendorff's alpha for nominal data with gaps, with its interval."""

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from schemas.evidence.labels import LabelAgreement

DRAWS = 2000
_MOST_DRAWN = 2_000_000
"""Most units times draws.

Beyond a thousand questions fewer draws are as accurate, and a page must not wait for them.
"""
FEWEST_UNITS = 10
"""The interval over 5 questions holds the truth 59 times in 100, over 10 88 (``scripts/simulate_agreement.py``)."""
_MOST_EMPTY = 0.5
"""With more draws than this without variety, the interval would mostly reflect chance."""


def krippendorff_alpha(units: Sequence[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for nominal labels: 1 - observed / expected disagreement.

    ``units`` holds the labels that each case got, from however many people; cases with fewer than two do not count.
    1 is perfect, 0 is chance. None when there is no pair, or everybody always said the same one thing.
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.
    """
    counts = _count_table(units)
    if counts.size == 0:
        return None
    value = float(_alphas(np.ones((1, len(counts))), counts)[0])
    return None if np.isnan(value) else value


def measure_agreement(
    answers: Sequence[tuple[str, str, str]], seed: int = 0, fewest: int = FEWEST_UNITS
) -> LabelAgreement:
    """Alpha over ``answers`` (unit, annotator, label), with a 95 % interval by a seeded bootstrap over units.

    Units are drawn with replacement, 2,000 times; draws in which everybody said one thing have no alpha and are left
    out. The interval is None below ``fewest`` units with a pair, or where over half the draws have no alpha.
    """
    by_unit: dict[str, list[str]] = {}
    for unit, _, label in answers:
        by_unit.setdefault(unit, []).append(label)
    pairable = {unit: labels for unit, labels in by_unit.items() if len(labels) > 1}
    counts = _count_table(list(pairable.values()))
    low, high = _interval(counts, seed) if len(counts) >= fewest else (None, None)
    return LabelAgreement(
        alpha=krippendorff_alpha(list(pairable.values())),
        low=low,
        high=high,
        units=len(pairable),
        annotators=len({who for unit, who, _ in answers if unit in pairable}),
        labels=len(answers),
    )


def _count_table(units: Sequence[Sequence[Hashable]]) -> np.ndarray:
    """[units with a pair, labels]: how often each label was given to each unit."""
    counted = [Counter(unit) for unit in units if len(unit) > 1]
    names = list(dict.fromkeys(label for unit in counted for label in unit))
    return np.array([[unit[name] for name in names] for unit in counted], dtype=float)


def _alphas(weights: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """[draws]: alpha of each row of ``weights`` [draws, units], which says how often every unit counts.

    ``counts`` [units, labels]. NaN where a draw has no variety.
    """
    sizes = counts.sum(axis=1)
    differing = (sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1)
    observed = weights @ differing
    totals = weights @ counts
    totals_sum = totals.sum(axis=1)
    expected = (totals_sum**2 - (totals**2).sum(axis=1)) / (totals_sum - 1)
    alphas = np.full(len(weights), np.nan)
    varied = expected > 0
    alphas[varied] = 1 - observed[varied] / expected[varied]
    return alphas


def _interval(counts: np.ndarray, seed: int) -> tuple[float | None, float | None]:
    random = np.random.default_rng(seed)
    units = len(counts)
    draws = max(200, min(DRAWS, _MOST_DRAWN // units))
    weights = random.multinomial(units, np.full(units, 1 / units), size=draws).astype(float)
    alphas = _alphas(weights, counts)
    if np.isnan(alphas).mean() > _MOST_EMPTY:
        return None, None
    low, high = np.nanquantile(alphas, [0.025, 0.975])
    return float(low), float(high)
