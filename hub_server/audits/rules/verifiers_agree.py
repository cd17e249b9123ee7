"""When other people's verifiers are enough to second a counter-example: several owners, all for it, and good enough.

Accounts cost little, so it is owners that speak, each once, and only by verifiers whose measured rates are good.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.evidence.rates import Measurement

FEWEST_OWNERS = 2
LEAST_ODDS = 99.0
"""To one, that the label is right, if each owner's verifier were as bad as its rates may be (upper 95 % ends)."""


@dataclass(frozen=True)
class Voice:
    """What another package's verifier says of the response. ``measured``: the evidence that its grade reads.

    ``people``: everybody who is behind it. ``alike``: releases with the same code or the same verdicts.
    """

    release: str
    accepted: bool
    measured: Measurement
    people: frozenset[str]
    alike: frozenset[str] = frozenset()


def owners_among(voices: Sequence[Voice]) -> list[list[Voice]]:
    """The voices by owner: those that share a person, or of which one is a copy of another, are one, also by a third.

    Or one account with ten packages, or ten copies of one package, would be ten.
    """
    groups: list[list[Voice]] = []
    for voice in voices:
        own = [group for group in groups if any(_is_one(voice, other) for other in group)]
        groups = [group for group in groups if group not in own]
        groups.append([voice, *(one for group in own for one in group)])
    return groups


def are_enough(voices: Sequence[Voice], *, is_right: bool) -> bool:
    """Whether the verifiers of ``FEWEST_OWNERS`` owners or more say what the label says, and none the opposite.

    Naive Bayes with even odds before (Dawid & Skene 1979 with known rates). An owner weighs as much as the least
    telling verifier among its own.
    """
    if any(voice.accepted is not is_right for voice in voices):
        return False
    groups = owners_among(voices)
    weights = [min(map(_log_odds, group)) for group in groups]
    return len(groups) >= FEWEST_OWNERS and math.fsum(weights) >= math.log(LEAST_ODDS)


def _log_odds(voice: Voice) -> float:
    """What its verdict shifts the log odds by, towards what it says, at the worst that its rates may be."""
    fpr, fnr = max(voice.measured.fpr.high, 1e-6), max(voice.measured.fnr.high, 1e-6)
    told, mistaken = (1 - fnr, fpr) if voice.accepted else (1 - fpr, fnr)
    return math.log(max(told, 1e-6) / mistaken)


def _is_one(one: Voice, other: Voice) -> bool:
    return bool(one.people & other.people) or other.release in one.alike or one.release in other.alike
