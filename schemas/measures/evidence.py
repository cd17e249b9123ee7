"""The grade: computed from evidence that is not the author's, and lowered by parts that are certainly worse."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from schemas.audit import Grade, Grading, Measurement, Origin, Pull, Rate, RewardValues
from schemas.measures.clusters import clustered_rate
from schemas.measures.confusion import Outcome, measure
from schemas.measures.grades import GRADE_BOUNDS, grade_of, thin_words

UNJUDGED_ALLOWED = 0.02
"""Share of a side's cases that may stay unjudged. Unjudged cases beyond it count as errors."""
SURE = 0.025
"""Significance level of one end of a 95 % interval."""
FEWEST_IN_PART = 5
"""A part with fewer independent cases cannot lower the grade: three bad cases may be three wrong labels."""
LEAST_DIFFERENCE = {Grade.F: 0.1, Grade.D: 0.4}
"""Difference of the mean rewards of right and wrong answers (share of the range) -> the best grade below it."""
FEWEST_ALONE = 20
"""So many independent cases decide a side alone. With fewer, the author's cases count too, for a hollow grade."""
_NAMED_BY_AUTHORS = ("tag:", "cluster:")
MOST_HOLLOW, MOST_KNOWN = Grade.C, Grade.B
_ORDER = (Grade.A, Grade.B, Grade.C, Grade.D, Grade.F, Grade.UNMEASURED)


@dataclass(frozen=True)
class Seen:
    """An outcome and where its case comes from.

    ``is_ours``: it is unjudged because of a fault of the hub's own sandbox.
    """

    outcome: Outcome
    origin: Origin
    first_look: bool = False
    is_ours: bool = False


@dataclass(frozen=True)
class Part:
    """A part of the evidence that may be certainly worse than the whole."""

    name: str
    side: Literal["fpr", "fnr"]
    rate: Rate
    errors: int
    cases: int


def with_unjudged(seen: Iterable[Seen]) -> list[Outcome]:
    """The outcomes, in which unjudged cases beyond 2 % of their side count as errors.

    Otherwise a verifier could improve its rates by not answering.
    """
    found = list(seen)
    outcomes = []
    for must in (True, False):
        side = [one for one in found if one.outcome.must_accept is must]
        allowed = math.floor(UNJUDGED_ALLOWED * len(side))
        for one in side:
            if one.outcome.accepted is not None or one.is_ours:
                outcomes.append(one.outcome)
            elif allowed > 0:
                allowed -= 1
                outcomes.append(one.outcome)
            else:
                outcomes.append(replace(one.outcome, accepted=not must))
    return outcomes


def grade_evidence(seen: Sequence[Seen], parts: Iterable[Part], values: RewardValues | None) -> tuple[Grade, Grading]:
    """The grade, and how it was derived.

    1. The grade is based on the larger of two upper bounds, one for each side.
    2. A side with at least ``FEWEST_ALONE`` independent cases is judged by them alone. With fewer, all cases of the
    side are used and the grade is at most C. How many there are is counted as if none were an error: or whoever has
    many easy cases of their own would dilute what others found.
    3. Without a case that the author could not know, the grade is at most B.
    4. A part whose lower 95 % bound (with Holm's correction over all parts) lies in a worse band lowers the grade to
    that band. So easy cases cannot dilute hard ones, and a few bad cases do not lower the grade by chance.
    5. With too few cases for any grade it is U, unless errors or a part are certainly in F: cases that were left out
    must not turn an F into a U.
    """
    independent = [one for one in seen if one.origin.is_independent]
    whole = measure(with_unjudged(independent))
    first = measure(with_unjudged(one for one in independent if one.first_look))
    right, wrong = _evidence_of(seen, must=True), _evidence_of(seen, must=False)
    is_hollow = right.is_hollow or wrong.is_hollow
    reads = measure([*right.outcomes, *wrong.outcomes])
    most = MOST_HOLLOW if is_hollow else Grade.A if has_both(first) else MOST_KNOWN
    letter = at_most(grade_of(reads), most)
    capped = _caps(letter, reads, is_hollow=is_hollow, has_first=has_both(first))
    if letter is not Grade.UNMEASURED:
        for best, least in LEAST_DIFFERENCE.items():
            if values is not None and values.right - values.wrong < least and is_worse(best, letter):
                letter = best
                capped.append(_values_words(values, best))
    pulls = _pulls(letter, list(parts))
    pulled = max((pull.grade for pull in pulls), key=_ORDER.index, default=letter)
    return pulled, Grading(
        is_hollow=is_hollow,
        reads=reads,
        independent=whole if independent else None,
        first_look=first if any(one.first_look for one in independent) else None,
        capped=capped,
        pulled=pulls,
        missing=(thin_words(reads) if letter is Grade.UNMEASURED else []) + _missing(whole, first, is_hollow=is_hollow),
    )


@dataclass(frozen=True)
class _SideEvidence:
    """The outcomes that decide one side, and whether the author's are among them."""

    outcomes: list[Outcome]
    is_hollow: bool


def _evidence_of(seen: Iterable[Seen], *, must: bool) -> _SideEvidence:
    side = [one for one in seen if one.outcome.must_accept is must]
    independent = [one for one in side if one.origin.is_independent]
    chosen = independent if _worth(independent) >= FEWEST_ALONE else side
    return _SideEvidence(with_unjudged(chosen), not chosen or len(chosen) > len(independent))


def _worth(side: Sequence[Seen]) -> int:
    """How many independent cases these of one side are, were every verdict right."""
    rate = clustered_rate((False, one.outcome.groups) for one in side)
    return len(side) if rate.clusters is None else rate.clusters


def parts_of(measurements: Mapping[str, Measurement]) -> list[Part]:
    """Both sides of every measurement that has cases, named."""
    return [
        Part(name, side, rate, errors, cases)
        for name, one in measurements.items()
        for side, rate, errors, cases in _sides(one)
        if cases
    ]


def has_both(found: Measurement) -> bool:
    """Whether there is a judged case on either side."""
    return found.fpr.value is not None and found.fnr.value is not None


def is_worse(one: Grade, other: Grade) -> bool:
    """Whether the first grade is worse. U, which may be anything, is worse than F."""
    return _ORDER.index(one) > _ORDER.index(other)


def at_most(grade: Grade, most: Grade) -> Grade:
    """The worse of the two; U stays U."""
    return grade if is_worse(grade, most) else most


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


def _pulls(letter: Grade, parts: Sequence[Part]) -> list[Pull]:
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
    found = {(pull.name, pull.side): pull for group in groups for pull in _pulls_of(letter, group, SURE / len(groups))}
    return sorted(found.values(), key=lambda pull: (-_ORDER.index(pull.grade), pull.name, pull.side))


def _pulls_of(letter: Grade, parts: Sequence[Part], level: float) -> list[Pull]:
    found: dict[tuple[str, str], Pull] = {}
    for (_, bound), (below, _) in zip(GRADE_BOUNDS, [*GRADE_BOUNDS[1:], (Grade.F, 1.0)], strict=True):
        if below is not Grade.F if letter is Grade.UNMEASURED else not is_worse(below, letter):
            continue
        ordered = sorted((_p_value(part, bound), index) for index, part in enumerate(parts))
        for place, (chance, index) in enumerate(ordered):
            if chance > level / (len(ordered) - place):
                break
            part = parts[index]
            found[part.name, part.side] = Pull(
                name=part.name, side=part.side, errors=part.errors, cases=part.cases, grade=below
            )
    return list(found.values())


def _tries(part: Part) -> float:
    return part.rate.tries if part.rate.tries is not None else float(part.cases)


def _p_value(part: Part, bound: float) -> float:
    return chance_of_so_many(part.errors / part.cases * _tries(part), _tries(part), bound)


def _caps(letter: Grade, reads: Measurement, *, is_hollow: bool, has_first: bool) -> list[str]:
    if letter is Grade.UNMEASURED:
        return []
    if is_hollow and letter is MOST_HOLLOW and is_worse(letter, grade_of(reads)):
        return ["The author's own cases earn at most C."]
    if not is_hollow and not has_first and is_worse(letter, grade_of(reads)):
        return ["Without cases that the author could not know, the grade is at most B."]
    return []


def _values_words(values: RewardValues, most: Grade) -> str:
    return (
        f"Right answers earn {values.right:.3f} of the range on average and wrong ones {values.wrong:.3f}: so close, "
        f"the grade is at most {most}."
    )


def _missing(whole: Measurement, first: Measurement, *, is_hollow: bool) -> list[str]:
    """What would allow a better grade, and how to get there."""
    found = []
    if not has_both(whole):
        side = "right answers" if whole.fnr.value is None else "wrong answers"
        both = whole.fnr.value is None and whole.fpr.value is None
        found.append(
            f"No independent case with {'right or wrong answers' if both else side}: label rollouts of a run, or name "
            "in verihub.toml which families of suites it judges."
        )
    elif is_hollow:
        found.append("Too few independent cases for a grade of their own: label rollouts of a run.")
    if has_both(whole) and not has_both(first):
        found.append(
            "No case that the author could not know: cases held by the hub and counter-examples that come after the "
            "release count as a first look."
        )
    return found
