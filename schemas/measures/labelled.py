"""How many errors on labelled rollouts count by the word of accounts alone: what the other evidence leaves open."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from schemas.evidence.cases import Origin
from schemas.measures.clusters import WAYS, Groups, clustered_rate
from schemas.measures.seen import FEWEST_ALONE, Seen, worth

_ROUNDING = 1e-9


def most_errors(beside: Iterable[Seen], labelled: Sequence[Groups], errors: Sequence[Groups]) -> int:
    """How many of the ``errors`` on ``labelled`` answers of one side the ``beside`` evidence of that side leaves open.

    As many as the upper end of its 95 % interval allows, and at least one. So labels that nobody else confirms move no
    rate out of the interval that it has without them, however many there are. ``beside``: what others chose decides
    alone where it is worth ``FEWEST_ALONE`` cases, as in the grade; labelled rollouts are left out.

    Answers that are alike in a way share one weight, as in the rate: a thousand spellings of one answer, rightly
    judged, leave no room for errors on others. Which errors others confirm is open, so the weightiest stand for all.
    """
    known = [one for one in beside if one.origin is not Origin.ROLLOUT and one.outcome.accepted is not None]
    independent = [one for one in known if one.origin.is_independent]
    base: Sequence[Seen] = independent if worth(independent) >= FEWEST_ALONE else known
    high = clustered_rate((one.outcome.is_wrong, one.outcome.groups) for one in base).high
    there = [one.outcome.groups for one in base]
    wrong = [one.outcome.groups for one in base if one.outcome.is_wrong]
    found = [max(1, math.floor(high * len(labelled)))]
    for way in range(len(WAYS)):
        found.append(_most_alike(high, labelled, [], errors, way))
        found.append(_most_alike(high, [*there, *labelled], wrong, errors, way))
    return min(found)


def _most_alike(
    high: float, cases: Sequence[Groups], known: Sequence[Groups], errors: Sequence[Groups], way: int
) -> int:
    """How many of the weightiest ``errors`` fit beside the ``known`` ones, where every cluster has the same weight."""
    sizes = Counter(_names(cases, way))
    limit = max(1.0, high * len(sizes) - sum(_weights(known, sizes, way))) + _ROUNDING
    weights = sorted(_weights(errors, sizes, way), reverse=True)
    if sum(weights) <= limit:
        return len(cases)
    total, most = 0.0, 0
    for weight in weights:
        total += weight
        if total > limit:
            break
        most += 1
    return most


def _weights(errors: Sequence[Groups], sizes: Counter[Hashable], way: int) -> list[float]:
    return [1 / max(1, sizes[name]) for name in _names(errors, way)]


def _names(groups: Sequence[Groups], way: int) -> list[Hashable]:
    """The cluster of each. What has none in this way is alone."""
    named = [one[way] if way < len(one) else None for one in groups]
    return [("alone", number) if name is None else ("named", name) for number, name in enumerate(named)]
