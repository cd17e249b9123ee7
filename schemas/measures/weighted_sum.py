"""One number of a reward vector. The rule, wherever a sum is shown or learnt from: what was not judged is never a 0."""

import math
from collections.abc import Iterable, Mapping

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.measures.gates import is_gate_closed


def weighted_sum(rewards: Mapping[str, float | None], declared: Mapping[str, RewardDeclaration]) -> float | None:
    """The sum of weight x value over the scores, 0 if a gate failed. None and NaN stand for "not judged".

    - If only some scores were judged, their sum is rescaled: from the range that they can reach to the range that all
      scores can reach. With reward ranges from 0 to 1 this scales their weights up.
    - The result is None if no score was judged, if the judged scores have no weight, and if a gate was not judged while
      no other gate failed, because then nobody knows whether the scores count.
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
