"""What grades a bad verifier earns whose author adds easy cases, simulated: ``simulate_dilution.py [DRAWS]``.

Each draw has so many independent cases on one side, on which the verifier errs at its true rate, and on the other side
400 that it gets right. In the first table its author adds 2,000 easy cases on each side, all judged right. In the
second a friend whose suites count adds a suite of 500 easy ones a side. In the third the independent cases are the
hub's own, and two friends add such a suite each: better grades as long as an A took two owners, and now that others
lift a grade by one letter at most. The fourth says what that rule costs an honest verifier.
Every number can be had again: the seed is fixed.
"""

import sys
from dataclasses import dataclass

import numpy as np

from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.measures.evidence import grade_evidence
from schemas.measures.grades import grade_of, grade_within, is_worse
from schemas.measures.owners import HUB
from schemas.measures.seen import Seen
from schemas.measures.worse_parts import parts_of

SIZES = (5, 10, 19, 20, 25, 30, 34, 35, 50, 75, 100, 124, 150, 200)
RATES = (0.035, 0.05, 0.08, 0.11, 0.15, 0.2, 0.25, 0.35)
EASY = 2000
EASY_SUITE = 500


@dataclass(frozen=True)
class Gained:
    """Shares of draws whose grade is better than the true rate's, with and without the author's easy cases."""

    diluted: float
    plain: float


def gained(size: int, rate: float, draws: int, *, must: bool = False, easy: int = EASY, seed: int = 0) -> Gained:
    """How often ``size`` independent cases give a better grade than deserved. ``must``: which side errs."""
    chances = np.random.default_rng(seed).binomial(size, rate, draws)
    kinds, better = np.unique(chances, return_counts=True), [0, 0]
    for errors, count in zip(*kinds, strict=True):
        for way, own in enumerate((easy, 0)):
            better[way] += count * is_worse(grade_within(rate), letter(size, int(errors), own, must=must))
    return Gained(better[0] / draws, better[1] / draws)


def gained_by_suite(size: int, rate: float, draws: int, seed: int = 0) -> Gained:
    """How often ``size`` cases of one suite give a better grade than deserved, with and without another, easy suite."""
    chances = np.random.default_rng(seed).binomial(size, rate, draws)
    kinds, better = np.unique(chances, return_counts=True), [0, 0]
    for errors, count in zip(*kinds, strict=True):
        for way, easy in enumerate((EASY_SUITE, 0)):
            found = [*_seen(False, Origin.HELD, size, int(errors), "hard"), *_seen(True, Origin.HELD, 400, 0, "hard")]
            more = [one for must in (True, False) for one in _seen(must, Origin.SUITE, easy, 0, "easy")]
            parts = {
                name: measure(one.outcome for one in [*found, *more] if one.suite == name) for name in ("hard", "easy")
            }
            letter_ = grade_evidence([*found, *more], parts_of(parts), None)[0]
            better[way] += count * is_worse(grade_within(rate), letter_)
    return Gained(better[0] / draws, better[1] / draws)


def bought(size: int, rate: float, draws: int, *, friends: int = 2, seed: int = 0) -> Gained:
    """How often ``size`` cases of the hub's own beside easy suites of friends give a better grade than deserved.

    ``diluted``: by what is read alone, as when two owners were enough; ``plain``: as it is.
    """
    chances = np.random.default_rng(seed).binomial(size, rate, draws)
    kinds, better = np.unique(chances, return_counts=True), [0, 0]
    for errors, count in zip(*kinds, strict=True):
        seen = [*_seen(False, Origin.HELD, size, int(errors), HUB), *_seen(True, Origin.HELD, size, 0, HUB)]
        for n in range(friends):
            seen += [one for must in (True, False) for one in _seen(must, Origin.HELD, EASY_SUITE, 0, f"friend-{n}/x")]
        grade, told = grade_evidence(seen, [], None)
        for way, one in enumerate((grade_of(told.reads), grade)):
            better[way] += count * is_worse(grade_within(rate), one)
    return Gained(better[0] / draws, better[1] / draws)


def keeps(own: int, others: int, rate: float, draws: int, seed: int = 0) -> Gained:
    """How often a verifier that errs alike on the hub's cases and on others' has an A, without and with the rule."""
    random, found = np.random.default_rng(seed), [0, 0]
    for one, other in zip(random.binomial(own, rate, draws), random.binomial(others, rate, draws), strict=True):
        seen = _seen(False, Origin.HELD, own, int(one), HUB) + _seen(False, Origin.HELD, others, int(other), "bo/two")
        seen += _seen(True, Origin.HELD, own, 0, HUB) + _seen(True, Origin.HELD, others, 0, "bo/two")
        grade, told = grade_evidence(seen, [], None)
        found = [found[0] + (grade_of(told.reads) is Grade.A), found[1] + (grade is Grade.A)]
    return Gained(found[0] / draws, found[1] / draws)


def lost(rate: float, draws: int, seed: int = 0) -> float:
    """How often a verifier that errs alike on 250 and 150 cases of two suites has a worse letter than on 400 of one."""
    random, worse = np.random.default_rng(seed), 0
    for first, second in zip(random.binomial(250, rate, draws), random.binomial(150, rate, draws), strict=True):
        letters = []
        for other in ("two", "one"):
            wrong = _seen(False, Origin.HELD, 250, int(first), "one") + _seen(
                False, Origin.HELD, 150, int(second), other
            )
            letters.append(grade_evidence([*wrong, *_seen(True, Origin.HELD, 400, 0, "one")], [], None)[0])
        worse += is_worse(*letters)
    return worse / draws


def letter(size: int, errors: int, own: int, *, must: bool) -> Grade:
    """The grade of ``errors`` of ``size`` independent cases beside ``own`` easy ones of the author on each side."""
    found = _seen(must, Origin.HELD, size, errors) + _seen(not must, Origin.HELD, 400, 0)
    held = [one.outcome for one in found]
    authors = [*_seen(True, Origin.AUTHOR, own, 0), *_seen(False, Origin.AUTHOR, own, 0)]
    parts = {"origin:held": measure(held)} | (
        {"origin:author": measure(one.outcome for one in authors)} if authors else {}
    )
    return grade_evidence([*found, *authors], parts_of(parts), None)[0]


def _seen(must: bool, origin: Origin, cases: int, errors: int, suite: str = "") -> list[Seen]:
    is_held = origin is Origin.HELD
    owner = suite.partition("/")[0]
    return [Seen(Outcome(must, must != (n < errors)), origin, is_held, suite=suite, owner=owner) for n in range(cases)]


def main() -> None:
    """Print a table: true rates across, independent cases down, better grades with / without easy cases, in %."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    print("cases", *(f"{rate:.1%} ({grade_within(rate)})" for rate in RATES), sep=" | ")
    for size in SIZES:
        _print(size, [gained(size, rate, draws) for rate in RATES])
    print("beside another's easy suite")
    for size in SIZES:
        _print(size, [gained_by_suite(size, rate, draws) for rate in RATES])
    print("better grades beside easy suites of two friends: two owners enough / as it is")
    for size in (0, *SIZES, 300, 400):
        _print(size, [bought(size, rate, draws) for rate in (0.015, 0.02, *RATES)])
    print("an A of an honest verifier, cases of the hub and of another: without / with")
    for own, others in ((500, 60), (500, 130), (130, 500), (500, 300)):
        _print(own, [keeps(own, others, rate, draws) for rate in (0.0, 0.001, 0.002, 0.005)])
    print("worse letters where both suites are alike")
    for rate in (0.005, 0.01, 0.02, 0.05):
        print(f"{rate:.1%}", f"{100 * lost(rate, draws):.2f}", sep=" | ", flush=True)


def _print(size: int, found: list[Gained]) -> None:
    print(size, *(f"{100 * one.diluted:.1f} / {100 * one.plain:.1f}" for one in found), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
