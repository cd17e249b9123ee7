"""What a first look found, beside what the same release shows on cases that its author could know."""

from schemas.evidence.rates import Measurement
from schemas.measures.evidence import has_both
from schemas.measures.grades import GRADE_LIMITS
from schemas.measures.percents import in_percent


def first_look_words(first: Measurement | None, known: Measurement | None) -> str:
    """One or two sentences; empty without a first look on both sides.

    ``known``: rates on others' cases that were there before the release, so it may have been corrected by them.
    """
    if first is None or not has_both(first):
        return ""
    said = f"First look: {_shares(first)}, on {_cases(first)} cases that its author could not know."
    if known is None or not has_both(known):
        return said
    return f"{said} After correction: {_shares(known)}, on {_cases(known)} others that were there before the release."


def _shares(found: Measurement) -> str:
    fpr, fnr = (in_percent(rate.value or 0.0, 1, GRADE_LIMITS) for rate in (found.fpr, found.fnr))
    return f"{fpr} % of wrong answers accepted, {fnr} % of right ones rejected"


def _cases(found: Measurement) -> int:
    return found.tp + found.fp + found.tn + found.fn
