"""What accounts that lie when they label a run's rollouts do to a grade, simulated: ``simulate_labels.py [DRAWS]``.

A verifier errs at its true rate on the wrong answers of the hub's own suite, and on no right one. Accounts of standing
label wrong what it accepts rightly. First table: share of draws in which the grade is worse than without labels,
if all labels count / with those that count now. Second: how far the observed rate moves at most, in widths of the
interval that it has without labels. Third: share of draws in which the labels of an honest group wait, where the
verifier errs on what they label at its true rate / at three times that rate.
"""

import sys
from dataclasses import dataclass

import numpy as np

from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome, measure
from schemas.measures.evidence import grade_evidence
from schemas.measures.grades import is_worse
from schemas.measures.labelled import most_errors
from schemas.measures.owners import HUB
from schemas.measures.seen import Seen
from schemas.measures.worse_parts import parts_of

SIZES, RATES, LABELS = (50, 200, 800), (0.0, 0.01, 0.05, 0.15), (30, 300)


@dataclass(frozen=True)
class Lied:
    """Shares of draws with a worse grade than without labels, and how far the rate moves at most."""

    unlimited: float
    limited: float
    moved: float


def lied(size: int, rate: float, labels: int, draws: int, seed: int = 0) -> Lied:
    """``size`` wrong answers of a suite, and ``labels`` rollouts labelled wrong that the verifier accepts rightly.

    Who lies may also label what the verifier rejects, so that as many lies as possible are explained.
    """
    chances = np.random.default_rng(seed).binomial(size, rate, draws)
    worse, moved = [0, 0], 0.0
    for errors in chances.tolist():
        beside = _wrong_answers(size, errors)
        before = measure(one.outcome for one in beside).fpr
        letter = _letter(beside)
        counted = _labelled(labels, _most(beside, labels))
        for way, rollouts in enumerate((_labelled(labels, labels), counted)):
            worse[way] += is_worse(_letter([*beside, *rollouts]), letter)
        after = measure(one.outcome for one in [*beside, *counted]).fpr
        moved = max(moved, ((after.value or 0) - (before.value or 0)) / (before.high - before.low))
    return Lied(worse[0] / draws, worse[1] / draws, moved)


def waits(size: int, rate: float, labelled_rate: float, labels: int, draws: int, seed: int = 0) -> float:
    """Share of draws in which honest labels wait for somebody else."""
    chances = np.random.default_rng(seed)
    found = 0
    for errors, theirs in zip(
        chances.binomial(size, rate, draws).tolist(),
        chances.binomial(labels, labelled_rate, draws).tolist(),
        strict=True,
    ):
        found += theirs > _most(_wrong_answers(size, errors), labels)
    return found / draws


def _most(beside: list[Seen], labels: int) -> int:
    """Where no answer is like another."""
    return most_errors(beside, [()] * labels, [()] * labels)


def _letter(wrong: list[Seen]) -> Grade:
    right = [Seen(Outcome(True, True), Origin.HELD, True, suite="hub/suite", owner=HUB) for _ in range(800)]
    by_origin = {f"origin:{one}": measure(each.outcome for each in wrong if each.origin is one) for one in Origin}
    return grade_evidence([*wrong, *right], parts_of(by_origin), None)[0]


def _wrong_answers(cases: int, errors: int) -> list[Seen]:
    return [Seen(Outcome(False, n < errors), Origin.HELD, True, suite="hub/suite", owner=HUB) for n in range(cases)]


def _labelled(cases: int, errors: int) -> list[Seen]:
    return [Seen(Outcome(False, n < errors), Origin.ROLLOUT, True) for n in range(cases)]


def main() -> None:
    """Print the tables."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    for labels in LABELS:
        print(f"{labels} labels: worse grade if all count / now, and how far the rate moves now in widths")
        for size in SIZES:
            found = [lied(size, rate, labels, draws) for rate in RATES]
            print(size, *(f"{one.unlimited:.0%} / {one.limited:.1%} / {one.moved:.2f}" for one in found), sep=" | ")
    print("100 honest labels wait: at the true rate / at three times it")
    for size in SIZES:
        pairs = [(waits(size, rate, rate, 100, draws), waits(size, rate, 3 * rate, 100, draws)) for rate in RATES]
        print(size, *(f"{same:.1%} / {thrice:.1%}" for same, thrice in pairs), sep=" | ")


if __name__ == "__main__":
    main()
