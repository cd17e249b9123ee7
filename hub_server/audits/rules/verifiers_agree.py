"""When other people's verifiers are enough to second a counter-example: several owners agree, and none contradicts.

Accounts are cheap to make. So each owner counts once, and only by verifiers whose measured error rates are low. Rates
say nothing of a response that a verifier was written to lie about, so one of the owners must be named by the operator.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.evidence.cases import AuditCase, Label
from schemas.evidence.rates import Measurement

FEWEST_OWNERS = 2  # chosen: one owner is one person's word
LEAST_ODDS = 99.0
"""The odds (to one) that the label is right which verdicts must reach, with error rates at their upper 95 % ends."""
LEAST_ODDS_OF_OWNER = 9.0
"""An owner whose verifiers give less does not count: one that accepts everything agrees with whatever is accepted."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Voice:
    """What another package's verifier says of the response. ``measured``: on suites of the hub's own.

    ``people``: everybody who is behind it. ``alike``: releases with the same code or the same verdicts.
    """

    release: str
    accepted: bool
    measured: Measurement
    people: frozenset[str]
    alike: frozenset[str] = frozenset()
    is_named: bool = False
    """Whether the operator named who has it: such an owner is trusted not to lie."""


def owners_among(voices: Sequence[Voice]) -> list[list[Voice]]:
    """The voices in groups, one for each independent owner.

    Two voices are in one group where a person is behind both, or one is a copy of the other; groups that a third voice
    connects are one. Otherwise one account with ten packages, or ten copies of one package, would count ten times.
    """
    groups: list[list[Voice]] = []
    for voice in voices:
        own = [group for group in groups if any(_is_one(voice, other) for other in group)]
        groups = [group for group in groups if group not in own]
        groups.append([voice, *(one for group in own for one in group)])
    return groups


def are_enough(voices: Sequence[Voice], *, is_right: bool) -> bool:
    """Whether the verifiers of ``FEWEST_OWNERS`` owners or more say what the label says, one of them an owner whom the
    operator named, and none the opposite.

    Naive Bayes with even odds before (Dawid & Skene 1979 with known rates). An owner weighs as much as the least
    telling verifier among its own.
    """
    if any(voice.accepted is not is_right for voice in voices) or not any(voice.is_named for voice in voices):
        return False
    groups = owners_among(voices)
    weights = [min(map(_log_odds, group)) for group in groups]
    telling = [weight for weight in weights if weight >= math.log(LEAST_ODDS_OF_OWNER)]
    return len(telling) >= FEWEST_OWNERS and math.fsum(telling) >= math.log(LEAST_ODDS)


def control_of(case: AuditCase) -> AuditCase | None:
    """The response with the task's answer in place of its last number: a verifier that rejects this one cannot read it.

    Measured rates say nothing of a language that no suite is written in: there all verifiers reject for one reason.
    None where task or response has no number, so that a rejection tells nothing.
    """
    answer = str((case.task or {}).get("answer", ""))
    numbers = list(_NUMBER.finditer(case.response or ""))
    if not numbers or case.response is None or _NUMBER.fullmatch(answer) is None:
        return None
    last = numbers[-1]
    said = f"{case.response[: last.start()]}{answer}{case.response[last.end() :]}"
    return case.model_copy(update={"response": said, "label": Label.CORRECT})


def _log_odds(voice: Voice) -> float:
    """What its verdict shifts the log odds by, towards what it says, at the worst that its rates may be."""
    fpr, fnr = max(voice.measured.fpr.high, 1e-6), max(voice.measured.fnr.high, 1e-6)
    told, mistaken = (1 - fnr, fpr) if voice.accepted else (1 - fpr, fnr)
    return math.log(max(told, 1e-6) / mistaken)


def _is_one(one: Voice, other: Voice) -> bool:
    return bool(one.people & other.people) or other.release in one.alike or one.release in other.alike
