"""How often an owner who publishes again and again wins a grade that the true rate does not deserve.

``python -m scripts.simulate_rerolls [DRAWS]``. Each release draws so many independent cases a side; on one side the
verifier errs at its true rate, on the other never. The owner publishes up to 20 releases and stops at a better grade
than the true rate's. Tables: independent cases; cases in clusters of ten (intraclass correlation 0.3); cases of the
hub's own beside 500 of friends that the verifier gets right (``measures.owners``); and what the rule costs an owner who
corrects a verifier: how many independent cases a side without an error a letter takes after so many releases with a
worse one. The seed is fixed.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

from schemas.evidence.rates import Grade, Grading, Measurement
from schemas.measures.clusters import clustered_rate
from schemas.measures.grades import at_most, grade_of, grade_within, is_worse
from schemas.measures.intervals import rate
from schemas.measures.owners import OTHERS_PROVE, most_carried
from schemas.measures.release_luck import letter_after

MOST = 20
SIZES = (50, 150, 300, 800)
RATES = (0.012, 0.015, 0.035, 0.045, 0.11, 0.13, 0.15, 0.33)
FRIENDS, OWN_SIZES = 500, (35, 75, 150)
CLUSTER, CORRELATION = 10, 0.3
Rule = Callable[[Grade, Grading, list[Grade]], Grade]


@cache
def measured(errors: int, size: int) -> Measurement:
    """``errors`` of ``size`` wrong answers accepted, and none of as many right ones rejected."""
    return Measurement(
        tp=size, fn=0, fp=errors, tn=size - errors, unscored=0, fpr=rate(errors, size), fnr=rate(0, size)
    )


def as_drawn(letter: Grade, _found: Grading, _earlier: list[Grade]) -> Grade:
    """Each release for itself."""
    return letter


def pooled_tries(letter: Grade, found: Grading, earlier: list[Grade]) -> Grade:
    """What the hub's own cases carry stays at 95 % whatever the tries: the rule before."""
    return letter_after(letter, Grading(reads=found.reads), earlier)[0]


def after_tries(letter: Grade, found: Grading, earlier: list[Grade]) -> Grade:
    """The rule in use."""
    return letter_after(letter, found, earlier)[0]


def won(size: int, true: float, draws: int, rule: Rule, most: int = MOST) -> float:
    """The share of owners who get a better grade than ``true`` deserves with one of ``most`` releases."""
    errors = np.random.default_rng(7).binomial(size, true, (draws, most))
    return sum(_wins([int(one) for one in row], size, grade_within(true), rule) for row in errors) / draws


def won_in_clusters(size: int, true: float, draws: int, rule: Rule) -> float:
    """As :func:`won`, where the cases of a cluster fail together: beta-binomial counts."""
    source = np.random.default_rng(7)
    weight = (1 - CORRELATION) / CORRELATION
    shares = source.beta(true * weight, (1 - true) * weight, (draws, MOST, size // CLUSTER))
    counts = source.binomial(CLUSTER, shares)
    return (
        sum(
            _first_win((Grading(reads=_clustered(tuple(sorted(one)))) for one in owner), grade_within(true), rule)
            for owner in counts.tolist()
        )
        / draws
    )


@cache
def _clustered(counts: tuple[int, ...]) -> Measurement:
    """So many errors of ten in each cluster, on one side; on the other none."""
    cases = [(at < count, (None, None, name)) for name, count in enumerate(counts) for at in range(CLUSTER)]
    good = [(False, (None, None, name)) for name in range(len(counts)) for _ in range(CLUSTER)]
    size, errors = len(cases), sum(counts)
    return Measurement(
        tp=size, fn=0, fp=errors, tn=size - errors, unscored=0, fpr=clustered_rate(cases), fnr=clustered_rate(good)
    )


def won_with_friends(size: int, true: float, draws: int, rule: Rule, most: int = MOST) -> float:
    """The share of owners who get a better grade than friends may make of ``true``: one letter more, and at least a C.

    ``size`` cases a side of the hub's own, beside ``FRIENDS`` that the verifier gets right.
    """
    errors = np.random.default_rng(7).binomial(size, true, (draws, most)).tolist()
    found = {
        count: Grading(
            reads=measured(count, size + FRIENDS), hubs_own=measured(count, size), others=measured(0, FRIENDS)
        )
        for count in {one for row in errors for one in row}
    }
    least = most_carried(grade_within(true))
    return sum(_first_win((found[one] for one in row), least, rule) for row in errors) / draws


def _wins(errors: list[int], size: int, least: Grade, rule: Rule) -> bool:
    return _first_win((Grading(reads=measured(count, size)) for count in errors), least, rule)


def _carried(found: Grading) -> Grade:
    """The letter of one release by itself: of all evidence, and by who owns it."""
    assert found.reads is not None
    letter = grade_of(found.reads)
    if found.hubs_own is None or found.others is None:
        return letter
    letter = at_most(letter, most_carried(grade_of(found.hubs_own)))
    is_alone = letter is Grade.A and is_worse(grade_of(found.others), OTHERS_PROVE)
    return Grade.B if is_alone else letter


def _first_win(releases: Iterable[Grading], least: Grade, rule: Rule) -> bool:
    earlier: list[Grade] = []
    for found in releases:
        letter = rule(_carried(found), found, earlier)
        if letter is not Grade.UNMEASURED and is_worse(least, letter):
            return True
        earlier.append(letter)
    return False


def cases_needed(bound_of: Grade, worse: int) -> int:
    """The fewest independent cases a side without an error that prove the letter after so many worse ones."""
    return next(
        size
        for size in range(9, 5000)
        if grade_of(measured(0, size)) is bound_of
        and letter_after(bound_of, Grading(reads=measured(0, size)), [Grade.F] * worse)[0] is bound_of
    )


def main(draws: int) -> None:
    """Print the tables."""
    for size in SIZES:
        cells = [
            f"{100 * won(size, true, draws, as_drawn, 1):.1f} | {100 * won(size, true, draws, as_drawn):.1f} -> "
            f"{100 * won(size, true, draws, after_tries):.1f}"
            for true in RATES
        ]
        print(size, *(f"{true:.1%} {cell}" for true, cell in zip(RATES, cells, strict=True)), sep="\n   ")
    few = max(draws // 5, 1)
    for size in (150,):
        cells = [
            f"{true:.1%} {100 * won_in_clusters(size, true, few, as_drawn):.1f} -> "
            f"{100 * won_in_clusters(size, true, few, after_tries):.1f}"
            for true in RATES
        ]
        print(f"in clusters, {size}", *cells, sep="\n   ")
    for size in OWN_SIZES:
        cells = [
            f"{true:.1%} {100 * won_with_friends(size, true, draws, as_drawn, 1):.1f} | "
            f"{100 * won_with_friends(size, true, draws, pooled_tries):.1f} -> "
            f"{100 * won_with_friends(size, true, draws, after_tries):.1f}"
            for true in RATES
        ]
        print(f"beside friends, {size}", *cells, sep="\n   ")
    for letter in (Grade.A, Grade.B, Grade.C):
        print(letter.value, [cases_needed(letter, worse) for worse in (0, 1, 2, 5, 10)])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
