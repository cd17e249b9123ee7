"""No single owner of a suite decides a good grade: one who has standing may still be the author's friend."""

from collections.abc import Sequence

from schemas.evidence.rates import Grade
from schemas.measures.confusion import measure
from schemas.measures.grades import cases_needed, grade_of, is_worse
from schemas.measures.seen import Seen, has_first_look, with_unjudged

HUB = "the hub"
"""The owner of the operator's own held files, and of suites whose owner the operator named."""
_WITHOUT_ONE = {Grade.A: Grade.B, Grade.B: Grade.C}
"""A grade -> what must still be proved without the cases of any one owner."""
SECOND_OWNER_WANTED = (
    f"An A takes cases of two owners: {cases_needed(0, 0.03)} independent ones on each side beside those of any one "
    f"owner; a B {cases_needed(0, 0.1)}, or suites of an owner whom the operator named."
)


def by_owners(letter: Grade, independent: Sequence[Seen]) -> tuple[Grade, str]:
    """The grade that does not hang on one owner, and why it is worse than the one given; empty where it is not.

    Each owner's cases are left out in turn. For an A the rest must prove a B, for a B a C; of the hub's a B may be made
    alone. Only drawn cases are looked at: the owner of a suite may also label rollouts and second counter-examples, so
    without a suite the grade is at most B.
    """
    drawn = [one for one in independent if one.source]
    owners = sorted({one.owner or HUB for one in drawn})
    if not owners and letter is Grade.A:
        return Grade.B, "No suite is among the evidence: without one, the grade is at most B."
    found, told = letter, ""
    for asked, least in _WITHOUT_ONE.items():
        if found is asked:
            lacking = [owner for owner in owners if _hangs_on(owner, asked, drawn)]
            if lacking:
                found, told = least, _words(lacking[0], asked, is_alone=len(owners) == 1)
    return found, told


def _hangs_on(owner: str, asked: Grade, drawn: Sequence[Seen]) -> bool:
    """Whether too little is proved without this owner's cases; for an A also, whether none but a stranger's are new.

    Or whoever knows a published suite by heart would have an A as soon as a friend makes cases that are new.
    """
    if asked is Grade.B and owner == HUB:
        return False
    rest = [one for one in drawn if (one.owner or HUB) != owner]
    is_proved = not is_worse(grade_of(measure(with_unjudged(rest))), _WITHOUT_ONE[asked])
    return not is_proved or (asked is Grade.A and owner != HUB and not has_first_look(rest))


def _words(owner: str, asked: Grade, *, is_alone: bool) -> str:
    said = "All suites are of one owner" if is_alone else f"Too little is known without the cases of {owner}"
    letter = "an A" if asked is Grade.A else "a B"
    return f"{said}: {letter} takes as many cases of others as prove a {_WITHOUT_ONE[asked]}."
