"""One number of a reward vector. The rule, wherever a sum is shown or learnt from: what was not judged is never a 0."""

import math
from collections.abc import Iterable, Mapping

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.gates import is_gate_closed


def weighted_sum(rewards: Mapping[str, float | None], declared: Mapping[str, RewardDeclaration]) -> float | None:
    """Sum of weight x value over the scores, 0 behind a closed gate; None (or NaN) is what was not judged.

    - Where some scores were not judged, the judged ones count for all: the sum is put where it lies between its least
      and its most, on the scale of all scores. With ranges from 0 to 1 their weights are scaled up.
    - None where no score was judged, where those that were have no weight, and where a gate was not judged and
      none is closed: nobody knows whether the scores count.
    """
    judged = {name: value for name, value in rewards.items() if value is not None and not math.isnan(value)}
    scores = {name: reward for name, reward in declared.items() if reward.role is RewardRole.SCORE}
    known = {name: reward for name, reward in scores.items() if name in judged}
    if not known:
        return None
    low, high = sum_range(known.values())
    total = sum(judged[name] * reward.weight for name, reward in known.items())
    if len(known) < len(scores):
        if low == high:
            return None
        least, most = sum_range(scores.values())
        total = least + (total - low) / (high - low) * (most - least)
    if is_gate_closed(judged, declared):
        return 0.0
    gates = {name for name, reward in declared.items() if reward.role is RewardRole.GATE}
    return total if gates <= judged.keys() else None


def sum_range(declared: Iterable[RewardDeclaration]) -> tuple[float, float]:
    """The least and the most that the scores among ``declared`` can add up to; a weight may be negative."""
    ends = [
        sorted(end * reward.weight for end in reward.range) for reward in declared if reward.role is RewardRole.SCORE
    ]
    return sum(low for low, _ in ends), sum(high for _, high in ends)
