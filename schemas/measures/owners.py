"""How far other people's cases can lift a grade: one letter beyond what the hub's own cases prove.

Accounts are cheap to make. So whoever makes as many accounts as a rule asks for could buy the grade (Cheng & Friedman
2005: no symmetric reputation is proof against accounts that one person makes). A rule that begins with somebody who is
trusted is proof against it. A hub has such a person: its operator, who names owners of suites and holds cases.
"""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.evidence.rates import Grade
from schemas.measures.confusion import measure
from schemas.measures.grades import at_most, cases_needed, grade_of, is_worse
from schemas.measures.seen import FEWEST_ALONE, Seen, has_first_look, with_unjudged

HUB = "the hub"
"""The owner of the operator's own held files, and of suites whose owner the operator named."""
_CARRIED = {Grade.A: Grade.A, Grade.B: Grade.A, Grade.C: Grade.B}
"""What the hub's own cases prove alone -> the best grade that others' cases make of it."""
MOST_UNVOUCHED = Grade.C
"""Without the hub's own cases: no more than an author's own cases earn."""
OTHERS_PROVE = Grade.B
"""What the others' cases must prove for an A: the operator may know the author."""
_HUBS_WANTED = (
    f"The hub's own cases must prove a B alone for an A ({cases_needed(0, 0.03)} independent ones a side without an "
    f"error), a C for a B ({cases_needed(0, 0.1)}): ask its operator for cases in held/, or to name an owner of suites."
)
_OTHERS_WANTED = f"An A takes suites of another owner than the hub: {cases_needed(0, 0.03)} independent cases a side."


class Carried(NamedTuple):
    """The best grade that the evidence allows by who owns it.

    ``why`` it is no better, and what is ``wanted`` for a better one. Both are empty where this rule lowers nothing.
    """

    grade: Grade
    why: str = ""
    wanted: str = ""


def by_owners(letter: Grade, independent: Sequence[Seen]) -> Carried:
    """``letter``, or the best grade that the evidence carries by who is behind it.

    Others' cases lift a grade by at most one letter over what the hub's own prove, and an A also takes others' cases,
    so that neither strangers nor the operator can give it alone. Only drawn cases are looked at: the owners of suites
    may also label rollouts and second counter-examples.
    """
    own, others = by_owner(independent)
    proved = grade_of(measure(with_unjudged(own)))
    most = most_carried(proved)
    if is_worse(most, letter):
        return Carried(at_most(letter, most), _words(proved if own else None, most), _HUBS_WANTED)
    if letter is not Grade.A:
        return Carried(letter)
    if not has_first_look(own):
        why = f"Of the hub's own cases, fewer than {FEWEST_ALONE} a side are new to the author: at most B."
        return Carried(Grade.B, why, "An A takes new cases of the hub's own: of a generator, or from its folder held/.")
    if is_worse(grade_of(measure(with_unjudged(others))), OTHERS_PROVE):
        return Carried(
            Grade.B, "Without the hub's own cases, other owners' suites do not prove a B: at most B.", _OTHERS_WANTED
        )
    return Carried(letter)


def most_carried(proved: Grade) -> Grade:
    """The best grade that others' cases make of what the hub's own prove alone."""
    return _CARRIED.get(proved, MOST_UNVOUCHED)


def by_owner(independent: Sequence[Seen]) -> tuple[list[Seen], list[Seen]]:
    """The drawn cases, in two lists: those of the hub's own suites, and those of other owners'."""
    drawn = [one for one in independent if one.source]
    return [one for one in drawn if _is_hubs(one)], [one for one in drawn if not _is_hubs(one)]


def _is_hubs(one: Seen) -> bool:
    return (one.owner or HUB) == HUB


def _words(proved: Grade | None, most: Grade) -> str:
    if proved is None:
        return f"None of the cases is the hub's own: without them the grade is at most {most}."
    alone = "too little for a grade" if proved is Grade.UNMEASURED else f"a {proved}"
    return f"The hub's own cases alone prove {alone}: with others' cases the grade is at most {most}."
