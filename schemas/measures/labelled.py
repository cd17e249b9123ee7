"""How many errors on labelled rollouts count by the word of accounts alone: what the other evidence leaves open."""

import math
from collections.abc import Iterable, Sequence

from schemas.evidence.cases import Origin
from schemas.measures.clusters import clustered_rate
from schemas.measures.seen import FEWEST_ALONE, Seen, worth


def most_errors(beside: Iterable[Seen], labelled: int) -> int:
    """How many errors on ``labelled`` answers of one side the ``beside`` evidence of that side leaves open.

    As many as the upper end of its 95 % interval allows, and at least one. So labels that nobody else confirms move no
    rate out of the interval that it has without them, however many there are. ``beside``: what others chose decides
    alone where it is worth ``FEWEST_ALONE`` cases, as in the grade; labelled rollouts are left out.
    """
    known = [one for one in beside if one.origin is not Origin.ROLLOUT and one.outcome.accepted is not None]
    independent = [one for one in known if one.origin.is_independent]
    base: Sequence[Seen] = independent if worth(independent) >= FEWEST_ALONE else known
    rate = clustered_rate((one.outcome.is_wrong, one.outcome.groups) for one in base)
    return max(1, math.floor(rate.high * labelled))
