"""What accounts that lie about labels of suites do to a grade, simulated: ``simulate_reports.py [DRAWS]``.

A verifier errs at its true rate on the wrong answers of one suite or of several, none of them the hub's own. Beside
them it has 125 cases a side of the hub's own without an error. Its friends have standing and report each case that it
gets wrong. First table: shares of draws with a better grade than deserved, without reports / with those that count now
/ if all counted. Second: how far the observed rate falls at most, in half widths of its 95 % interval. Third: the same
for the pooled rate of several suites, if each had its limit alone / with the limit for all together.
"""

import sys
from dataclasses import dataclass

import numpy as np

from hub_server.audits.rules.label_reports import most_by_standing
from schemas.evidence.cases import Origin
from schemas.evidence.rates import Grade
from schemas.measures.confusion import Outcome
from schemas.measures.evidence import grade_evidence
from schemas.measures.grades import grade_within, is_worse
from schemas.measures.intervals import wilson
from schemas.measures.owners import HUB
from schemas.measures.seen import Seen

SIZES, RATES, SUITES = (50, 100, 200, 400), (0.05, 0.08, 0.12, 0.2), (1, 4, 16)
HUBS_CASES = 125


@dataclass(frozen=True)
class Lied:
    """Shares of draws with a better grade than deserved."""

    without: float
    limited: float
    unlimited: float


def lied(size: int, rate: float, suites: int, draws: int, seed: int = 0) -> Lied:
    """``size`` wrong answers in each of ``suites`` suites, of as many owners; the friends report what they can."""
    chances = np.random.default_rng(seed).binomial(size, rate, (draws, suites))
    better, most = [0, 0, 0], most_by_standing(size)
    deserved = grade_within(rate)
    for errors in chances:
        for way, out in enumerate(
            (0 * errors, _in_turns(np.minimum(errors, most), most_by_standing(size * suites)), errors)
        ):
            better[way] += is_worse(deserved, _letter(size, errors, out))
    return Lied(*(one / draws for one in better))


def fall(cases: int, errors: int) -> float:
    """How far the rate of ``errors`` of ``cases`` falls by reports, in half widths of its interval."""
    low, high = wilson(errors, cases)
    out = min(errors, most_by_standing(cases))
    return (errors / cases - (errors - out) / (cases - out)) / ((high - low) / 2)


def pooled_fall(size: int, rate: float, suites: int) -> tuple[float, float]:
    """How far the rate of all ``suites`` together falls: with a limit for each alone, and with the one for all."""
    cases, errors = size * suites, round(size * suites * rate)
    low, high = wilson(errors, cases)
    outs = (min(errors, one) for one in (suites * most_by_standing(size), most_by_standing(cases)))
    each, pooled = ((errors / cases - (errors - out) / (cases - out)) / ((high - low) / 2) for out in outs)
    return each, pooled


def _in_turns(wanted: np.ndarray, most: int) -> np.ndarray:
    """What all suites together may lose, taken from them in turn."""
    taken = 0 * wanted
    while taken.sum() < min(most, wanted.sum()):
        for suite in np.flatnonzero(taken < wanted)[: most - taken.sum()]:
            taken[suite] += 1
    return taken


def _letter(size: int, errors: np.ndarray, out: np.ndarray) -> Grade:
    seen = _seen(HUBS_CASES, 0, HUB) + _right_answers(HUBS_CASES, HUB)
    for n, (wrong, gone) in enumerate(zip(errors.tolist(), out.tolist(), strict=True)):
        seen += _seen(size - gone, wrong - gone, f"owner{n}/suite") + _right_answers(size, f"owner{n}/suite")
    return grade_evidence(seen, [], None)[0]


def _seen(cases: int, errors: int, suite: str) -> list[Seen]:
    owner = suite.partition("/")[0]
    return [Seen(Outcome(False, n < errors), Origin.HELD, True, suite=suite, owner=owner) for n in range(cases)]


def _right_answers(cases: int, suite: str) -> list[Seen]:
    owner = suite.partition("/")[0]
    return [Seen(Outcome(True, True), Origin.HELD, True, suite=suite, owner=owner) for _ in range(cases)]


def main() -> None:
    """Print the tables, in % and in half widths."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for suites in SUITES:
        print(f"{suites} suites: better grades without reports / limited / unlimited")
        for size in SIZES:
            found = [lied(size, rate, suites, draws) for rate in RATES]
            print(size, *(f"{one.without:.1%} / {one.limited:.1%} / {one.unlimited:.1%}" for one in found), sep=" | ")
    print("largest fall of a rate, in half widths of its interval")
    for size in SIZES:
        print(size, *(f"{rate:.0%}: {fall(size, round(rate * size)):.2f}" for rate in RATES), sep=" | ")
    print("largest fall of the rate of several suites: a limit for each / for all")
    for suites in SUITES[1:]:
        for size in SIZES:
            falls = [pooled_fall(size, rate, suites) for rate in (0.03, *RATES)]
            print(f"{suites} x {size}", *(f"{each:.2f} / {pooled:.2f}" for each, pooled in falls), sep=" | ")


if __name__ == "__main__":
    main()
