"""The grade: computed from evidence that is not the author's, and lowered by parts that are certainly worse."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.evidence.rates import Grade, Grading, Measurement, RewardValues, ValuesInForm
from schemas.measures.case_sources import Count, worse_sources
from schemas.measures.clusters import clustered_rate
from schemas.measures.confusion import Outcome, measure
from schemas.measures.grades import (
    at_most,
    grade_of,
    is_worse,
    others_cases_words,
    own_cases_words,
    place_of,
    thin_words,
)
from schemas.measures.owners import Carried, by_owner, by_owners
from schemas.measures.seen import FEWEST_ALONE, Seen, has_first_look, with_unjudged, worth
from schemas.measures.worse_parts import Part, worse_parts

LEAST_DIFFERENCE = {Grade.F: 0.1, Grade.D: 0.4}
"""Difference of the mean rewards of right and wrong answers (share of the range) -> the best grade below it."""
MOST_HOLLOW, MOST_KNOWN, MOST_UNPROBED = Grade.C, Grade.B, Grade.C


def grade_evidence(
    seen: Sequence[Seen], parts: Iterable[Part], values: RewardValues | None, beside: Sequence[Seen] = ()
) -> tuple[Grade, Grading]:
    """The grade, and how it was derived.

    ``beside``: a source that is never pooled with the others, and decides alone where it is surely worse.

    1. The grade is based on the larger of two upper bounds, one for each side.
    2. A side with at least ``FEWEST_ALONE`` independent cases is judged by them alone. With fewer, all cases of the
    side are used and the grade is at most C. How many there are is counted as if none were an error: otherwise an
    author with many easy cases would dilute what others found. Where a source of them is surely worse than the others
    (``measures.case_sources``), it alone decides: neither an easy suite nor one that the author knew by heart dilutes
    it.
    3. With fewer than ``FEWEST_ALONE`` cases a side that the author could not know, the grade is at most B.
    4. Others' cases lift a grade by at most one letter over what the hub's own prove (``measures.owners``).
    5. A part whose lower 95 % bound (with Holm's correction over all parts) lies in a worse band lowers the grade to
    that band. So easy cases cannot dilute hard ones, and a few bad cases do not lower the grade by chance.
    6. With too few cases for any grade it is U, unless errors or a part are certainly in F: cases that were left out
    must not turn an F into a U.
    """
    independent = [one for one in seen if one.origin.is_independent]
    whole = measure(with_unjudged(independent))
    first, known = (_by_look(independent, is_first=one) for one in (True, False))
    right, wrong = _evidence_of(seen, beside, must=True), _evidence_of(seen, beside, must=False)
    is_hollow = right.is_hollow or wrong.is_hollow
    reads = measure([*right.outcomes, *wrong.outcomes])
    has_first = has_first_look(independent)
    most = MOST_HOLLOW if is_hollow else Grade.A if has_first else MOST_KNOWN
    letter = at_most(grade_of(reads), most)
    capped = _caps(letter, reads, is_hollow=is_hollow, has_first=has_first)
    carried = Carried(letter) if is_hollow else by_owners(letter, independent)
    own, others = by_owner(independent)
    letter = carried.grade
    capped += [carried.why] if carried.why else []
    capped += [words for words in (wrong.told, right.told) if words]
    letter, words_of_values = _by_values(letter, values)
    capped += words_of_values
    worse = worse_parts(letter, list(parts))
    lowered = max((part.grade for part in worse), key=place_of, default=letter)
    return lowered, Grading(
        is_hollow=is_hollow,
        reads=reads,
        independent=whole if independent else None,
        first_look=first,
        known=known,
        hubs_own=_measured(own),
        others=_measured(others),
        capped=capped,
        pulled=worse,
        missing=(thin_words(reads) if letter is Grade.UNMEASURED else [])
        + (own_cases_words(reads, MOST_HOLLOW) if is_hollow else [] if worse else others_cases_words(reads, letter))
        + _missing(whole, first, is_hollow=is_hollow, has_first=has_first)
        + ([carried.wanted] if carried.wanted else []),
    )


def without_all_probes(grade: Grade, grading: Grading) -> tuple[Grade, Grading]:
    """Where the time was used up before all probes were judged: at most C.

    A verifier could use it up on whatever does not look like a suite's case.
    """
    if not is_worse(MOST_UNPROBED, grade):
        return grade, grading
    told = f"The audit's time was used up before all probes were judged: at most {MOST_UNPROBED}."
    return MOST_UNPROBED, grading.model_copy(update={"capped": [*grading.capped, told]})


def _by_values(letter: Grade, values: RewardValues | None) -> tuple[Grade, list[str]]:
    """The letter, at most what the mean rewards of right and wrong answers allow, and why."""
    told = []
    if letter is not Grade.UNMEASURED and values is not None:
        for best, least in LEAST_DIFFERENCE.items():
            if values.right - values.wrong < least and is_worse(best, letter):
                letter = best
                told.append(_values_words(values, best))
    return letter, told


def _by_look(independent: Iterable[Seen], *, is_first: bool) -> Measurement | None:
    """Rates on the cases that the author could not know, or on the others; None where there are none."""
    return _measured([one for one in independent if one.first_look is is_first])


def _measured(chosen: Sequence[Seen]) -> Measurement | None:
    return measure(with_unjudged(chosen)) if chosen else None


@dataclass(frozen=True)
class _SideEvidence:
    """The outcomes that decide one side, and whether the author's are among them."""

    outcomes: list[Outcome]
    is_hollow: bool
    told: str = ""
    """Which sources decide the side alone, and why. Empty: all do."""


def _evidence_of(seen: Iterable[Seen], beside: Iterable[Seen], *, must: bool) -> _SideEvidence:
    side = [one for one in seen if one.outcome.must_accept is must]
    independent = [one for one in side if one.origin.is_independent]
    if worth(independent) < FEWEST_ALONE:
        return _SideEvidence(with_unjudged(side), not side or len(side) > len(independent))
    sources = [*independent, *(one for one in beside if one.outcome.must_accept is must)]
    counts, told = _by_source(sources)
    worse = worse_sources(counts)
    if not worse:
        return _SideEvidence(with_unjudged(independent), is_hollow=False)
    mistake = "Right answers of {} are surely rejected" if must else "Wrong answers of {} are surely accepted"
    said = mistake.format(" and of ".join(f"{name} ({told[name]})" for name in worse))
    rest = ", ".join(f"{told[name]}" for name in told if name not in worse)
    alone = with_unjudged(one for one in sources if one.source in worse)
    return _SideEvidence(
        alone, is_hollow=False, told=f"{said} more often than others ({rest}): they alone decide this side."
    )


def _by_source(independent: Sequence[Seen]) -> tuple[dict[str, Count], dict[str, str]]:
    """Source -> errors and independent cases, and the same as ``3 of 40``. Only sources of enough cases."""
    counts, told = {}, {}
    for name in sorted({one.source for one in independent if one.source}):
        own = [one for one in independent if one.source == name]
        if worth(own) < FEWEST_ALONE:
            continue
        outcomes = [one for one in with_unjudged(own) if one.accepted is not None]
        wrong = [one.accepted != one.must_accept for one in outcomes]
        rate = clustered_rate((error, one.groups) for error, one in zip(wrong, outcomes, strict=True))
        tries = float(len(wrong)) if rate.tries is None else rate.tries
        counts[name] = (sum(wrong) / max(len(wrong), 1) * tries, tries)
        told[name] = f"{sum(wrong)} of {len(wrong)}"
    return counts, told


def has_both(found: Measurement) -> bool:
    """Whether there is a judged case on either side."""
    return found.fpr.value is not None and found.fnr.value is not None


def _caps(letter: Grade, reads: Measurement, *, is_hollow: bool, has_first: bool) -> list[str]:
    if letter is Grade.UNMEASURED:
        return []
    if is_hollow and letter is MOST_HOLLOW and is_worse(letter, grade_of(reads)):
        return ["The author's own cases earn at most C."]
    if not is_hollow and not has_first and is_worse(letter, grade_of(reads)):
        return [f"With fewer than {FEWEST_ALONE} cases a side that the author could not know, the grade is at most B."]
    return []


def _values_words(values: RewardValues, most: Grade) -> str:
    where = f" in one form ({values.form})" if isinstance(values, ValuesInForm) else ""
    return (
        f"Right answers{where} earn {values.right:.3f} of the range on average and wrong ones {values.wrong:.3f}: "
        f"so close, the grade is at most {most}."
    )


def _missing(whole: Measurement, first: Measurement | None, *, is_hollow: bool, has_first: bool) -> list[str]:
    """What would allow a better grade, and how to get there."""
    found = []
    if not has_both(whole):
        side = "right answers" if whole.fnr.value is None else "wrong answers"
        both = whole.fnr.value is None and whole.fpr.value is None
        found.append(
            "Let others label rollouts of a run (`verihub cases label`), or say in verihub.toml which family of a "
            "hub's suites it judges ([judges.FAMILY], docs/how_to/improve_a_grade.md): there is no "
            f"independent case with {'right or wrong answers' if both else side} yet."
        )
    elif is_hollow:
        found.append("Too few independent cases for a grade of their own: let others label rollouts of a run.")
    if has_both(whole) and not has_first:
        few = "No case" if first is None or not has_both(first) else f"Fewer than {FEWEST_ALONE} cases a side"
        found.append(
            f"{few} that the author could not know: cases held by the hub and counter-examples that come after the "
            "release count as a first look."
        )
    return found
