"""An A rests on the cases of two owners: one owner of an easy suite may be the author's friend."""

from collections.abc import Sequence

from schemas.evidence.rates import Grade
from schemas.measures.confusion import measure
from schemas.measures.grades import cases_needed, grade_of, is_worse
from schemas.measures.seen import Seen, with_unjudged

MOST_OF_ONE_OWNER = Grade.B
"""The best grade that one owner's cases can earn, and what the others' must prove beside them for an A."""
SECOND_OWNER_WANTED = (
    f"An A takes cases of two owners: {cases_needed(0, 0.03)} independent ones on each side from suites of another "
    "owner, or from the hub's own files."
)


def second_owner_words(independent: Sequence[Seen]) -> str:
    """Why these cases rest on too few owners for an A; empty where they do not.

    Each owner's cases are left out in turn, and what is left must still prove a B. Only drawn cases are looked at: the
    owner of a suite may also label rollouts and second counter-examples.
    """
    drawn = [one for one in independent if one.source]
    owners = sorted({one.owner for one in drawn})
    if not owners:
        return "No suite is among the evidence: without one, the grade is at most B."
    for owner in owners:
        rest = measure(with_unjudged(one for one in drawn if one.owner != owner))
        if is_worse(grade_of(rest), MOST_OF_ONE_OWNER):
            said = f"Without the cases of {owner or 'one owner'}" if len(owners) > 1 else "All suites are of one owner"
            return f"{said}: an A takes as many cases of others as prove a B."
    return ""
