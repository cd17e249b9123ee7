"""Counts, Wilson intervals, Youden's J, grades and percentiles: pure functions, no I/O."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.audit import Grade, Measurement, Rate

Z_95 = 1.959963984540054
"""The two-sided 95 % point of the standard normal distribution."""

GRADE_BOUNDS = ((Grade.A, 0.01), (Grade.B, 0.03), (Grade.C, 0.10), (Grade.D, 0.30))
"""The largest upper end of an interval that still earns the grade."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case seen through one reward (or overall): what it must get and what it got. None = not judged."""

    must_accept: bool
    accepted: bool | None


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of ``count`` in ``total`` (no continuity correction); (0, 1) without any case.

    Source: E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 1927.
    """
    if not 0 <= count <= total:
        raise ValueError(f"count must lie in 0..{total}, not {count}")
    if total == 0:
        return 0.0, 1.0
    share, square = count / total, Z_95 * Z_95
    centre = (share + square / (2 * total)) / (1 + square / total)
    half = Z_95 / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    # At the edges the formula is exact in theory and off by rounding in practice.
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == total else min(1.0, centre + half)
    return low, high


def rate(count: int, total: int) -> Rate:
    """A proportion with its interval; ``value`` is None where ``total`` is 0."""
    low, high = wilson(count, total)
    return Rate(value=count / total if total else None, low=low, high=high)


def measure(outcomes: Iterable[Outcome]) -> Measurement:
    """The confusion matrix and both rates. What was not judged is counted apart and in neither rate."""
    tp = fp = tn = fn = unscored = 0
    for outcome in outcomes:
        if outcome.accepted is None:
            unscored += 1
        elif outcome.must_accept:
            tp += outcome.accepted
            fn += not outcome.accepted
        else:
            fp += outcome.accepted
            tn += not outcome.accepted
    fpr, fnr = rate(fp, fp + tn), rate(fn, fn + tp)
    return Measurement(tp=tp, fp=fp, tn=tn, fn=fn, unscored=unscored, fpr=fpr, fnr=fnr, j=j_interval(fpr, fnr))


def j_interval(fpr: Rate, fnr: Rate) -> Rate | None:
    """J with the 95 % interval of a difference of two proportions, from their Wilson intervals.

    Source: R. G. Newcombe, Interval estimation for the difference between independent proportions, method 10,
    Statistics in Medicine 1998.
    """
    if fpr.value is None or fnr.value is None:
        return None
    j = 1 - fpr.value - fnr.value
    down = math.hypot(fpr.high - fpr.value, fnr.high - fnr.value)
    up = math.hypot(fpr.value - fpr.low, fnr.value - fnr.low)
    return Rate(value=j, low=max(-1.0, j - down), high=min(1.0, j + up))


def youden_j(measurement: Measurement) -> float | None:
    """J = 1 - FPR - FNR; None where either side has no case. At 0 or below the reward teaches nothing or harm."""
    if measurement.fpr.value is None or measurement.fnr.value is None:
        return None
    return 1 - measurement.fpr.value - measurement.fnr.value


def worst_upper_end(measurement: Measurement) -> float:
    """The larger of the two upper ends: the jaw that stands wider open."""
    return max(measurement.fpr.high, measurement.fnr.high)


def grade_of(measurement: Measurement) -> Grade:
    """The grade that both upper ends earn. U when either side has no case: nobody measured that side.

    The larger upper end decides (and not the end of the longer interval), so that a rate that is surely bad cannot
    hide behind one that is merely uncertain.
    """
    if measurement.fpr.value is None or measurement.fnr.value is None:
        return Grade.UNMEASURED
    worst = worst_upper_end(measurement)
    return next((grade for grade, bound in GRADE_BOUNDS if worst <= bound), Grade.F)


def cases_needed(count: int, bound: float) -> int:
    """The smallest number of cases of which ``count`` errors still have an upper end at or below ``bound``."""
    if not 0 < bound < 1:
        raise ValueError(f"bound must lie between 0 and 1, not {bound}")
    low, high = count, max(count, 1)
    while wilson(count, high)[1] > bound:
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        if middle >= count and wilson(count, middle)[1] <= bound:
            high = middle
        else:
            low = middle + 1
    return high


def power_hint(measurement: Measurement) -> str:
    """What the suite's size allows to say, and how many more cases would allow the next grade; a sentence a side."""
    negatives = _side_hint("negatives", "FPR", measurement.fp, measurement.fp + measurement.tn, measurement.fpr)
    positives = _side_hint("positives", "FNR", measurement.fn, measurement.fn + measurement.tp, measurement.fnr)
    return f"{negatives}. {positives}."


def _side_hint(kind: str, name: str, errors: int, total: int, measured: Rate) -> str:
    if total == 0:
        return f"no {kind}: {name} unknown; {cases_needed(0, 0.01)} {kind} without an error for 1 %"
    said = f"{errors} of {total} {kind}: {name} below {percent(measured.high)}"
    target = (
        0.01 if errors == 0 else next((bound for _, bound in reversed(GRADE_BOUNDS) if bound < measured.high), 0.01)
    )
    more = cases_needed(errors, target) - total
    if more <= 0:
        return said
    without = " without another error" if errors else ""
    return f"{said}; {more} more {kind}{without} for {target * 100:g} %"


def percent(share: float) -> str:
    """A proportion for people, rounded: ``0.04 %``, ``6.0 %``, ``12 %``."""
    value = share * 100
    digits = 0 if value >= 9.95 or value == 0 else 2 if value < 0.095 else 1
    return f"{value:.{digits}f} %"


def percentile(values: Sequence[float], share: float) -> float | None:
    """The ``share`` quantile (0..1) by linear interpolation between order statistics; None without values."""
    if not values:
        return None
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
