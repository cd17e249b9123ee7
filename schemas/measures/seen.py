"""What an audit saw: outcomes with the origin of their cases."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from schemas.evidence.cases import Origin
from schemas.evidence.rates import Measurement
from schemas.measures.clusters import clustered_rate
from schemas.measures.confusion import Outcome
from schemas.wording import counted

UNJUDGED_ALLOWED = 0.02
"""Share of a side's cases that may stay unjudged. Unjudged cases beyond it count as errors."""
FEWEST_ALONE = 20
"""So many independent cases decide a side alone. With fewer, the author's cases count too, for a hollow grade."""


@dataclass(frozen=True)
class Seen:
    """An outcome and where its case comes from.

    ``is_ours``: it is unjudged because of a fault of the hub's own sandbox.
    """

    outcome: Outcome
    origin: Origin
    first_look: bool = False
    is_ours: bool = False
    suite: str = ""
    """The suite that it was drawn from; empty for cases that people chose one by one."""
    owner: str = ""
    """Who is behind that suite; empty for the hub. Who writes a generator decides how hard its cases are."""

    @property
    def source(self) -> str:
        """What drew it, in words; empty for cases that people chose, which are no sample of anything."""
        if self.origin not in (Origin.SUITE, Origin.HELD):
            return ""
        held = " that the hub holds" if self.origin is Origin.HELD else ""
        return f"{self.suite or 'suites'}{held}"


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


def unjudged_words(overall: Measurement, graded: Measurement, case_count: int) -> str:
    """That what got no verdict is among the errors of ``graded``. Empty where none of it is."""
    if overall.unscored <= graded.unscored:
        return ""
    told = f"{overall.unscored} of {counted(case_count, 'case')} could not be judged"
    return f"{told}: beyond {100 * UNJUDGED_ALLOWED:g} % of a side they count as errors."


def worth(side: Sequence[Seen]) -> int:
    """How many independent cases these of one side are, were every verdict right."""
    rate = clustered_rate((False, one.outcome.groups) for one in side)
    return len(side) if rate.clusters is None else rate.clusters


def has_first_look(independent: Iterable[Seen]) -> bool:
    """Whether each side has as many cases that the author could not know as decide a side alone.

    With one on either side a verifier that knew a published suite by heart had an A.
    """
    new = [one for one in independent if one.first_look]
    return all(worth([one for one in new if one.outcome.must_accept is must]) >= FEWEST_ALONE for must in (True, False))
