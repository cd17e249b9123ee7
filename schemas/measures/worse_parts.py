"""Parts of the evidence that are certainly worse than the grade, and the letter to which they lower it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.evidence.rates import Grade, Measurement, Rate, WorsePart
from schemas.measures.grades import GRADE_BOUNDS, is_worse, place_of

SURE = 0.025
"""Significance level of one end of a 95 % interval."""
FEWEST_IN_PART = 5
"""A part with fewer independent cases cannot lower the grade: three bad cases may be three wrong labels."""
_NAMED_BY_AUTHORS = ("tag:", "cluster:")


@dataclass(frozen=True)
class Part:
    """A part of the evidence that may be certainly worse than the whole."""

    name: str
    side: Literal["fpr", "fnr"]
    rate: Rate
    errors: int
    cases: int


def parts_of(measurements: Mapping[str, Measurement]) -> list[Part]:
    """Both sides of every measurement that has cases, named."""
    return [
        Part(name, side, rate, errors, cases)
        for name, one in measurements.items()
        for side, rate, errors, cases in _sides(one)
        if cases
    ]


def worse_parts(letter: Grade, parts: Sequence[Part]) -> list[WorsePart]:
    """The parts that are certainly outside the grade's band, each with the worst band that is certain.

    For each bound, Holm's step-down test (Scandinavian Journal of Statistics 6, 1979) of "the rate is at most the
    bound" over all parts. A part lies in the band above the largest bound that is rejected for it.

    Tags and clusters are tested apart from origins and probes, with half of the level each: an author who gave the own
    cases a thousand tags would otherwise take the power from the test of what others found.
    """
    parts = [part for part in parts if _tries(part) >= FEWEST_IN_PART]
    named = [part for part in parts if part.name.startswith(_NAMED_BY_AUTHORS)]
    groups = [
        group for group in (named, [part for part in parts if not part.name.startswith(_NAMED_BY_AUTHORS)]) if group
    ]
    found = {(one.name, one.side): one for group in groups for one in _worse_of(letter, group, SURE / len(groups))}
    return sorted(found.values(), key=lambda one: (-place_of(one.grade), one.name, one.side))


def _worse_of(letter: Grade, parts: Sequence[Part], level: float) -> list[WorsePart]:
    found: dict[tuple[str, str], WorsePart] = {}
    for (_, bound), (below, _) in zip(GRADE_BOUNDS, [*GRADE_BOUNDS[1:], (Grade.F, 1.0)], strict=True):
        if below is not Grade.F if letter is Grade.UNMEASURED else not is_worse(below, letter):
            continue
        ordered = sorted((_p_value(part, bound), index) for index, part in enumerate(parts))
        for place, (chance, index) in enumerate(ordered):
            if chance > level / (len(ordered) - place):
                break
            part = parts[index]
            found[part.name, part.side] = WorsePart(
                name=part.name, side=part.side, errors=part.errors, cases=part.cases, grade=below
            )
    return list(found.values())


def chance_of_so_many(errors: float, tries: float, bound: float) -> float:
    """P(at least ``errors`` of ``tries``) when the rate is ``bound``: the p-value of "the rate is at most ``bound``".

    Exact binomial tail (Clopper & Pearson 1934). Fractions are rounded in the verifier's favour: fewer errors and more
    tries.
    """
    count, total = math.floor(errors + 1e-9), math.ceil(tries - 1e-9)
    if count <= 0:
        return 1.0
    logs = (
        math.lgamma(total + 1)
        - math.lgamma(k + 1)
        - math.lgamma(total - k + 1)
        + k * math.log(bound)
        + (total - k) * math.log1p(-bound)
        for k in range(count, total + 1)
    )
    return min(1.0, math.fsum(math.exp(one) for one in logs))


def _sides(one: Measurement) -> list[tuple[Literal["fpr", "fnr"], Rate, int, int]]:
    return [("fpr", one.fpr, one.fp, one.fp + one.tn), ("fnr", one.fnr, one.fn, one.fn + one.tp)]


def _tries(part: Part) -> float:
    return part.rate.tries if part.rate.tries is not None else float(part.cases)


def _p_value(part: Part, bound: float) -> float:
    return chance_of_so_many(part.errors / part.cases * _tries(part), _tries(part), bound)
