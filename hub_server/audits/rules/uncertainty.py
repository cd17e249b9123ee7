"""How much a person's label would tell: most when verdicts disagree or lie near their threshold."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.evidence.rates import Measurement
from schemas.manifest import RewardDeclaration, RewardRole
from schemas.verdict import Verdict

LEAST_BITS = 0.02
"""Below this the verdicts are as good as an answer, and nobody is asked: a chance of 99.8 % stands at 0.02 bits."""
NEAR = (0.25, 0.75)
"""Leans between these stand near their threshold."""


def acceptance_of(verdict: Verdict, declared: Mapping[str, RewardDeclaration]) -> float | None:
    """How clearly a verdict accepts, 0..1: 1/2 on the threshold, 1 and 0 at the ends of the range.

    A verdict accepts when every score and gate does, so the weakest of them decides. None: not judged.
    """
    deciding = [name for name, reward in declared.items() if reward.role is not RewardRole.METRIC]
    values = [verdict.rewards.get(name) for name in deciding]
    if not values or verdict.error is not None:
        return None
    acceptances = [
        _acceptance(value, declared[name]) for name, value in zip(deciding, values, strict=True) if value is not None
    ]
    return min(acceptances) if len(acceptances) == len(values) else None


def _acceptance(value: float, reward: RewardDeclaration) -> float:
    low, high = reward.range
    if value >= reward.threshold:
        room = high - reward.threshold
        return 0.5 + 0.5 * (min(value - reward.threshold, room) / room) if room > 0 else 1.0
    room = reward.threshold - low
    return 0.5 * max(value - low, 0.0) / room if room > 0 else 0.0  # below its range: what a stranger's run may say


@dataclass(frozen=True)
class Annotator:
    """What one verifier or person says of a response, and how often they are right.

    ``sensitivity``: how often it accepts what is right; ``fpr``: how often it accepts what is wrong. ``share``:
    1 over how many releases of its package judged, as releases of one package repeat each other.
    """

    acceptance: float | None
    sensitivity: float = 0.8
    fpr: float = 0.2
    share: float = 1.0


def annotator_of(acceptance: float | None, measured: Measurement | None, share: float = 1.0) -> Annotator:
    """An annotator with audited rates, one right and one wrong case added to each (Laplace); unmeasured: 0.8, 0.2."""
    if measured is None:
        return Annotator(acceptance, share=share)
    sensitivity = (measured.tp + 1) / (measured.tp + measured.fn + 2)
    fpr = (measured.fp + 1) / (measured.fp + measured.tn + 2)
    return Annotator(acceptance, sensitivity, fpr, share)


def entropy_left(annotators: Sequence[Annotator]) -> float:
    """The uncertainty that remains after the verdicts: the entropy, in bits, of the chance that the response is right.

    Before any verdict that chance is 1/2; each verdict shifts its log odds by what its error rates are worth (naive
    Bayes; Dawid & Skene 1979 with known rates), less so near the threshold. A verifier that is no better than a coin
    shifts nothing, so disagreement with it is not worth anybody's time.
    """
    log_odds = 0.0
    for annotator in annotators:
        if annotator.acceptance is not None:
            accepts = math.log(annotator.sensitivity / annotator.fpr)
            rejects = math.log((1 - annotator.sensitivity) / (1 - annotator.fpr))
            clearness = abs(2 * annotator.acceptance - 1)
            log_odds += annotator.share * clearness * (accepts if annotator.acceptance >= 0.5 else rejects)
    chance = 1 / (1 + math.exp(-max(-700.0, min(700.0, log_odds))))
    return -sum(part * math.log2(part) for part in (chance, 1 - chance) if part > 0)


def is_contested(acceptances: Iterable[float | None]) -> bool:
    """Whether verifiers disagree, or one is near its threshold. Where all are sure and agree, nobody is asked."""
    judged = [acceptance for acceptance in acceptances if acceptance is not None]
    if not judged:
        return False
    return min(judged) < 0.5 <= max(judged) or any(NEAR[0] < acceptance < NEAR[1] for acceptance in judged)


def person_as_annotator(answer: str) -> Annotator:
    """One person's answer as that of an annotator: right nine times in ten; *cannot tell* changes nothing.

    So a question with one label is less open than one with none, and two labels that disagree open it again.
    """
    acceptance = {"correct": 1.0, "incorrect": 0.0}.get(answer)
    return Annotator(acceptance, sensitivity=0.9, fpr=0.1)


def agreed_label(answers: Mapping[str, str], needed: int) -> str | None:
    """The label that leads by ``needed`` among ``answers`` (who -> correct, incorrect or unsure), else None."""
    right = sum(answer == "correct" for answer in answers.values())
    wrong = sum(answer == "incorrect" for answer in answers.values())
    if abs(right - wrong) < needed:
        return None
    return "correct" if right > wrong else "incorrect"
