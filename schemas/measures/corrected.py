"""Pass rates with intervals, and their values corrected for the verifier's error rates. Pure arithmetic."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from schemas.base import WireModel
from schemas.evidence.rates import Grade, Measurement, Rate
from schemas.measures.clusters import cluster_share
from schemas.measures.intervals import Z_95, Interval, wilson


class TrustLevel(StrEnum):
    """How far the verifier behind a pass rate can be trusted."""

    MEASURED = "measured"
    """Audited, grade C or better."""
    WEAK = "weak"
    """Audited, graded below C."""
    UNAUDITED = "unaudited"
    """No audit, or too few independent cases for a grade (U)."""

    @classmethod
    def of(cls, grade: Grade | None) -> Self:
        """The trust level that a grade means."""
        if grade is None or grade is Grade.UNMEASURED:
            return cls("unaudited")
        return cls("weak" if grade in (Grade.D, Grade.F) else "measured")


class CorrectedRate(WireModel):
    """The pass rate corrected for the verifier's errors. ``estimate`` is null when it cannot be computed."""

    estimate: Interval | None = None
    reason: str = ""
    """Why there is no estimate; empty when there is one."""


@dataclass(frozen=True)
class Observed:
    """A mean pass rate over tasks, and how many independent tries it is worth, given its spread over tasks."""

    rate: float
    tries: float

    @classmethod
    def of(cls, outcomes: Mapping[Any, tuple[int, int]]) -> Self:
        """From task -> (successes, attempts), no task without attempts.

        Attempts on one task resemble each other, so they are not counted one by one: see
        :func:`~schemas.measures.clusters.cluster_share`.
        """
        found = cluster_share(list(outcomes.values()))
        return cls(found.share, found.tries)


@dataclass(frozen=True)
class Correction:
    """The pieces of a corrected rate, so that those of several environments can be averaged."""

    value: float
    centre: float
    error: float

    @property
    def contradiction(self) -> str:
        """Empty, or why no true rate between 0 and 1 explains the observed one."""
        if self.centre + Z_95 * self.error <= 0:
            return "fewer answers were accepted than its audit's errors explain: the audit's cases are unlike these"
        if self.centre - Z_95 * self.error >= 1:
            return "more answers were accepted than its audit's errors allow: the audit's cases are unlike these"
        return ""

    @property
    def interval(self) -> Interval:
        """The 95 % interval, within 0 to 1. It always contains the value."""
        low, high = self.centre - Z_95 * self.error, self.centre + Z_95 * self.error
        value = _share(self.value)
        return Interval(value=value, low=min(_share(low), value), high=max(_share(high), value))


def correct(observed: Observed, errors: Measurement | None) -> Correction | str:
    """The true pass rate behind an observed one, or a reason why it cannot be known.

    (p - FPR) / (1 - FPR - FNR), after Rogan & Gladen, Am. J. Epidemiology 107, 1978. The interval includes the
    uncertainty of all three rates: Lang & Reiczigel, Preventive Veterinary Medicine 113, 2014 (adjusted Wald: two
    observations are added to each side of the audit, z^2 to the tries, and the centre is moved). Similar audit cases
    count as the number of independent cases that they are worth.

    The result assumes that a model's answers resemble the audit's cases. If a model's wrong answers are unlike the
    audit's wrong cases, neither rate is known.
    """
    if errors is None:
        return "nobody measured its verifier"
    if not errors.fp + errors.tn or not errors.tp + errors.fn:
        return f"its audit has no case that must be {'rejected' if not errors.fp + errors.tn else 'accepted'}"
    fpr, negatives = _independent(errors.fpr, errors.fp, errors.fp + errors.tn)
    fnr, positives = _independent(errors.fnr, errors.fn, errors.tp + errors.fn)
    accepted = ((1 - fnr) * positives + 1) / (positives + 2)
    rejected = ((1 - fpr) * negatives + 1) / (negatives + 2)
    power = accepted + rejected - 1
    spread = math.sqrt(_variance(accepted, positives + 2) + _variance(rejected, negatives + 2))
    if 1 - fpr - fnr <= 0 or power - Z_95 * spread <= 0:
        return "its verifier is not measurably better than chance: FPR + FNR may be 1 or more"
    tries = observed.tries + Z_95**2
    rate = (observed.tries * observed.rate + Z_95**2 / 2) / tries
    true = (rate + rejected - 1) / power
    on_right, on_wrong = _variance(accepted, positives + 2), _variance(rejected, negatives + 2)
    moved = true + 2 * Z_95**2 * (true * on_right - (1 - true) * on_wrong)
    error = math.sqrt(_variance(rate, tries) + (1 - true) ** 2 * on_wrong + true**2 * on_right) / power
    found = Correction((observed.rate - fpr) / (1 - fpr - fnr), moved, error)
    return found.contradiction or found


def correct_all(parts: Sequence[tuple[str, Observed, int, Measurement | None]]) -> CorrectedRate:
    """The corrected rate over several environments: (name, observed, tasks, errors) each, weighted by tasks.

    Each end of the interval is put together from the distances of the parts' ends from their values (Zou & Donner,
    Statistics in Medicine 27, 2008). The moved centres cannot be averaged: each is moved towards 1/2, and what was
    moved stays while the error of the mean shrinks, so an interval could begin at the value itself.
    """
    found = [(name, tasks, correct(observed, errors)) for name, observed, tasks, errors in parts]
    reasons = [f"{name}: {one}" for name, _, one in found if isinstance(one, str)]
    if reasons:
        return CorrectedRate(reason="; ".join(reasons))
    total = sum(tasks for _, tasks, _ in found)
    whole = [(tasks / total, one) for _, tasks, one in found if isinstance(one, Correction)]
    middle = sum(weight * one.value for weight, one in whole)
    below = math.hypot(*(weight * max(0.0, one.value - one.centre + Z_95 * one.error) for weight, one in whole))
    above = math.hypot(*(weight * max(0.0, one.centre + Z_95 * one.error - one.value) for weight, one in whole))
    value = sum(weight * _share(one.value) for weight, one in whole)
    low, high = min(_share(middle - below), value), max(_share(middle + above), value)
    return CorrectedRate(estimate=Interval(value=value, low=low, high=high))


def observed_interval(observed: Observed) -> Interval:
    """The 95 % Wilson interval of an observed rate (Wilson 1927), on its effective number of tries."""
    low, high = wilson(min(observed.rate * observed.tries, observed.tries), observed.tries)
    return Interval(value=observed.rate, low=min(low, observed.rate), high=max(high, observed.rate))


def _independent(rate: Rate, errors: int, cases: int) -> tuple[float, float]:
    """An error rate and how many independent cases it is worth.

    Without clusters (and in old reports) that is the number of cases.
    """
    return errors / cases, rate.tries if rate.tries is not None else float(cases)


def _variance(rate: float, count: float) -> float:
    return rate * (1 - rate) / count


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0)
