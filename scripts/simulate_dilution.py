"""What grades a bad verifier earns whose author adds easy cases, simulated: ``simulate_dilution.py [DRAWS]``.

Each draw has so many independent cases on one side, on which the verifier errs at its true rate, and on the other side
400 that it gets right. In the first table its author adds 2,000 easy cases on each side, all judged right. In the
second a friend whose suites count adds a suite of 500 easy ones a side. The third says how often such a friend makes
an A of it, without and with the rule that an A takes two owners, and the fourth what the rule costs an honest verifier.
Every number can be had again: the seed is fixed.
"""

import sys
from dataclasses import dataclass

import numpy as np

from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.measures.evidence import grade_evidence
from schemas.measures.grades import GRADE_BOUNDS, is_worse
from schemas.measures.owners import by_owners
from schemas.measures.parts import parts_of
from schemas.measures.seen import Seen

SIZES = (5, 10, 19, 20, 25, 30, 34, 35, 50, 75, 100, 124, 150, 200)
RATES = (0.035, 0.05, 0.08, 0.11, 0.15, 0.2, 0.25, 0.35)
EASY = 2000
EASY_SUITE = 500


@dataclass(frozen=True)
class Gained:
    """Shares of draws whose grade is better than the true rate's, with and without the author's easy cases."""

    diluted: float
    plain: float


def deserved(rate: float) -> Grade:
    """The grade of a verifier of which ``rate`` is known."""
    return next((grade for grade, bound in GRADE_BOUNDS if rate <= bound), Grade.F)


def gained(size: int, rate: float, draws: int, *, must: bool = False, easy: int = EASY, seed: int = 0) -> Gained:
    """How often ``size`` independent cases give a better grade than deserved. ``must``: which side errs."""
    chances = np.random.default_rng(seed).binomial(size, rate, draws)
    kinds, better = np.unique(chances, return_counts=True), [0, 0]
    for errors, count in zip(*kinds, strict=True):
        for way, own in enumerate((easy, 0)):
            better[way] += count * is_worse(deserved(rate), letter(size, int(errors), own, must=must))
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
            better[way] += count * is_worse(deserved(rate), letter_)
    return Gained(better[0] / draws, better[1] / draws)


def reaches_a(size: int, rate: float, draws: int, *, owners: int = 2, seed: int = 0) -> float:
    """How often ``size`` cases a side of a suite are an A beside a friend's 500 easy ones.

    ``owners``: 1 as if both suites had one owner and the rule were none, 2 as it is.
    """
    chances, found = np.random.default_rng(seed).binomial(size, rate, draws), 0
    for errors, count in zip(*np.unique(chances, return_counts=True), strict=True):
        honest = _seen(False, Origin.SUITE, size, int(errors), "honest/hard") + _seen(
            True, Origin.SUITE, size, 0, "honest/hard"
        )
        easy = [one for must in (True, False) for one in _seen(must, Origin.HELD, EASY_SUITE, 0, "friend/easy")]
        seen = [*honest, *easy]
        grade, told = grade_evidence(seen, [], None)
        if owners == 1:
            found += count * (grade is Grade.A or told.capped == [by_owners(Grade.A, seen)[1]])
        else:
            found += count * (grade is Grade.A)
    return found / draws


def keeps_a(first: int, second: int, rate: float, draws: int, *, owners: int = 2, seed: int = 0) -> float:
    """How often a verifier that errs alike everywhere has an A by two suites, ``owners`` as in :func:`reaches_a`."""
    random, found = np.random.default_rng(seed), 0
    for one, other in zip(random.binomial(first, rate, draws), random.binomial(second, rate, draws), strict=True):
        seen = _seen(False, Origin.HELD, first, int(one), "al/one") + _seen(
            False, Origin.HELD, second, int(other), "bo/two"
        )
        seen += _seen(True, Origin.HELD, first, 0, "al/one") + _seen(True, Origin.HELD, second, 0, "bo/two")
        grade, told = grade_evidence(seen, [], None)
        found += grade is Grade.A or (owners == 1 and told.capped == [by_owners(Grade.A, seen)[1]])
    return found / draws


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
    print("cases", *(f"{rate:.1%} ({deserved(rate)})" for rate in RATES), sep=" | ")
    for size in SIZES:
        _print(size, [gained(size, rate, draws) for rate in RATES])
    print("beside another's easy suite")
    for size in SIZES:
        _print(size, [gained_by_suite(size, rate, draws) for rate in RATES])
    print("an A beside a friend's easy suite: without / with the rule of two owners")
    for size in (0, *SIZES):
        shares = [
            (reaches_a(size, rate, draws, owners=1), reaches_a(size, rate, draws)) for rate in (0.015, 0.02, *RATES)
        ]
        print(size, *(f"{100 * before:.1f} / {100 * after:.1f}" for before, after in shares), sep=" | ", flush=True)
    print("an A of an honest verifier by two suites: without / with")
    for first, second in ((500, 60), (500, 130), (500, 300), (800, 250)):
        shares = [
            (keeps_a(first, second, rate, draws, owners=1), keeps_a(first, second, rate, draws))
            for rate in (0.0, 0.001, 0.002, 0.005)
        ]
        print(first, second, *(f"{100 * a:.1f} / {100 * b:.1f}" for a, b in shares), sep=" | ", flush=True)
    print("worse letters where both suites are alike")
    for rate in (0.005, 0.01, 0.02, 0.05):
        print(f"{rate:.1%}", f"{100 * lost(rate, draws):.2f}", sep=" | ", flush=True)


def _print(size: int, found: list[Gained]) -> None:
    print(size, *(f"{100 * one.diluted:.1f} / {100 * one.plain:.1f}" for one in found), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
