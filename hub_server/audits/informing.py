"""How much a person's label would teach: verdicts that disagree, or lie near their threshold, leave most open."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.audit import Measurement
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.verdict import Verdict

LEAST_BITS = 0.02
"""Below this the verdicts are as good as an answer, and nobody is asked: a chance of 99.8 % stands at 0.02 bits."""
NEAR = (0.25, 0.75)
"""Leans between these stand near their threshold."""


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


@dataclass(frozen=True)
class Voice:
    """One verifier's say on a response, and how far it can be believed.

    ``sensitivity``: how often it accepts what is right; ``false_alarm``: how often it accepts what is wrong. ``share``:
    1 over how many releases of its package speak, as releases of one package repeat each other.
    """

    lean: float | None
    sensitivity: float = 0.8
    false_alarm: float = 0.2
    share: float = 1.0


def voice_of(lean: float | None, measured: Measurement | None, share: float = 1.0) -> Voice:
    """A voice with its audited rates, one right and one wrong case added to each (Laplace); unmeasured: 0.8, 0.2."""
    if measured is None:
        return Voice(lean, share=share)
    sensitivity = (measured.tp + 1) / (measured.tp + measured.fn + 2)
    false_alarm = (measured.fp + 1) / (measured.fp + measured.tn + 2)
    return Voice(lean, sensitivity, false_alarm, share)


def open_bits(voices: Sequence[Voice]) -> float:
    """What the verdicts leave open: the entropy, in bits, of the chance that the response is right.

    Before any verdict that chance is 1/2; each verdict shifts its log odds by what its error rates are worth (naive
    Bayes; Dawid & Skene 1979 with known rates), less so near the threshold. A verifier that is no better than a coin
    shifts nothing, so that its dissent does not call for people.
    """
    log_odds = 0.0
    for voice in voices:
        if voice.lean is not None:
            accepts = math.log(voice.sensitivity / voice.false_alarm)
            rejects = math.log((1 - voice.sensitivity) / (1 - voice.false_alarm))
            clearness = abs(2 * voice.lean - 1)
            log_odds += voice.share * clearness * (accepts if voice.lean >= 0.5 else rejects)
    chance = 1 / (1 + math.exp(-max(-700.0, min(700.0, log_odds))))
    return -sum(part * math.log2(part) for part in (chance, 1 - chance) if part > 0)


def is_contested(leans: Iterable[float | None]) -> bool:
    """Whether verifiers part, or one stands near its threshold: what all are sure of is asked of nobody."""
    judged = [lean for lean in leans if lean is not None]
    if not judged:
        return False
    return min(judged) < 0.5 <= max(judged) or any(NEAR[0] < lean < NEAR[1] for lean in judged)


def person_voice(answer: str) -> Voice:
    """One person's answer as a voice: right nine times in ten; *cannot tell* says nothing.

    So a question with one label is less open than one with none, and two labels that part open it again.
    """
    lean = {"correct": 1.0, "incorrect": 0.0}.get(answer)
    return Voice(lean, sensitivity=0.9, false_alarm=0.1)


def agreed_label(answers: Mapping[str, str], needed: int) -> str | None:
    """The label that leads by ``needed`` among ``answers`` (who -> correct, incorrect or unsure), else None."""
    right = sum(answer == "correct" for answer in answers.values())
    wrong = sum(answer == "incorrect" for answer in answers.values())
    if abs(right - wrong) < needed:
        return None
    return "correct" if right > wrong else "incorrect"
