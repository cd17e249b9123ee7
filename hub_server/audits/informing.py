"""How much a person's label would teach: verdicts that disagree, or lie near their threshold, leave most open."""

import math
from collections.abc import Iterable, Mapping

from schemas.manifest import RewardDeclaration, RewardRole
from schemas.verdict import Verdict

LEAST_BITS = 0.15
"""Below this the verdicts are as good as one voice, and nobody is asked. Five against one stand at 0.65 bits."""


def lean_of(verdict: Verdict, declared: Mapping[str, RewardDeclaration]) -> float | None:
    """How clearly a verdict accepts, 0..1: 1/2 on the threshold, 1 and 0 at the ends of the range.

    A verdict accepts when every score and gate does, so the weakest of them speaks. None: not judged.
    """
    deciding = [name for name, reward in declared.items() if reward.role is not RewardRole.METRIC]
    values = [verdict.rewards.get(name) for name in deciding]
    if not values or verdict.error is not None:
        return None
    leans = [_lean(value, declared[name]) for name, value in zip(deciding, values, strict=True) if value is not None]
    return min(leans) if len(leans) == len(values) else None


def _lean(value: float, reward: RewardDeclaration) -> float:
    low, high = reward.range
    if value >= reward.threshold:
        room = high - reward.threshold
        return 0.5 + 0.5 * (min(value - reward.threshold, room) / room) if room > 0 else 1.0
    return 0.5 * max(value - low, 0.0) / (reward.threshold - low)


def open_bits(leans: Iterable[float | None]) -> float:
    """Binary entropy of the mean lean of all who judged, in bits: 1 where they part evenly, 0 where all are sure."""
    judged = [lean for lean in leans if lean is not None]
    if not judged:
        return 0.0
    share = sum(judged) / len(judged)
    return -sum(part * math.log2(part) for part in (share, 1 - share) if part > 0)


def urgency_of(bits: float, labels: int) -> float:
    """What the queue is ordered by: the open bits, shared among the labels that there would be with one more."""
    return bits / (1 + labels)


def agreed_label(answers: Mapping[str, str], needed: int) -> str | None:
    """The label that leads by ``needed`` among ``answers`` (who -> correct, incorrect or unsure), else None."""
    right = sum(answer == "correct" for answer in answers.values())
    wrong = sum(answer == "incorrect" for answer in answers.values())
    if abs(right - wrong) < needed:
        return None
    return "correct" if right > wrong else "incorrect"
