"""How far the cases of people whom nobody vouches for carry a grade: one letter beyond what the hub's own prove.

Accounts cost little, so a rule that counts their owners can be bought by as many of them as it asks for, two or ten
(Cheng & Friedman 2005: no symmetric reputation is proof against accounts that one person makes). A rule that begins
with somebody who is trusted cannot. A hub has such a person: its operator, who names owners of suites and holds cases.
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
"""Without them: what an author's own cases earn. The word of strangers is worth no more."""
_OTHERS_PROVE = Grade.B
"""What the others' cases must prove for an A: the operator may know the author."""
_HUBS_WANTED = (
    f"The hub's own cases must prove a B alone for an A ({cases_needed(0, 0.03)} independent ones a side without an "
    f"error), a C for a B ({cases_needed(0, 0.1)}): ask its operator for cases in held/, or to name an owner of suites."
)
_OTHERS_WANTED = f"An A takes suites of another owner than the hub: {cases_needed(0, 0.03)} independent cases a side."


class Carried(NamedTuple):
    """The best grade that owners of the evidence carry. ``why`` and ``wanted`` are empty where they hold nothing back.

    ``wanted``: what would allow a better one.
    """

    grade: Grade
    why: str = ""
    wanted: str = ""


def by_owners(letter: Grade, independent: Sequence[Seen]) -> Carried:
    """``letter``, or the best grade that the evidence carries by who is behind it.

    Others' cases lift a grade by at most one letter over what the hub's own prove, and an A also takes others: it hangs
    neither on strangers alone nor on the operator alone. Only drawn cases are looked at: the owners of suites may
    also label rollouts and second counter-examples.
    """
    drawn = [one for one in independent if one.source]
    own = [one for one in drawn if _is_hubs(one)]
    proved = grade_of(measure(with_unjudged(own)))
    most = _CARRIED.get(proved, MOST_UNVOUCHED)
    if is_worse(most, letter):
        return Carried(at_most(letter, most), _words(proved if own else None, most), _HUBS_WANTED)
    if letter is not Grade.A:
        return Carried(letter)
    if not has_first_look(own):
        why = f"The author could know the hub's own cases but for fewer than {FEWEST_ALONE} a side: at most B."
        return Carried(Grade.B, why, "An A takes new cases of the hub's own: of a generator, or from its folder held/.")
    others = [one for one in drawn if not _is_hubs(one)]
    if is_worse(grade_of(measure(with_unjudged(others))), _OTHERS_PROVE):
        return Carried(
            Grade.B, "An A hangs on nobody alone: without the hub's own cases too little is known.", _OTHERS_WANTED
        )
    return Carried(letter)


def _is_hubs(one: Seen) -> bool:
    return (one.owner or HUB) == HUB


def _words(proved: Grade | None, most: Grade) -> str:
    if proved is None:
        return f"None of the cases is the hub's own: people whom nobody vouches for make at most a {most}."
    alone = "too little for a grade" if proved is Grade.UNMEASURED else f"a {proved}"
    return f"The hub's own cases alone prove {alone}: others' cases make at most a {most} of it."
