"""A better grade than earlier releases of the package had takes surer evidence: each release draws cases anew.

Whoever publishes the same verifier again and again draws until one draw is lucky. So the k-th try for a letter is
judged at one k-th of the error that a first try may have (Bonferroni's bound over the tries).
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

from schemas.evidence.rates import Grade, Grading, Measurement, Rate
from schemas.measures.grades import at_most, grade_within, is_worse, place_of
from schemas.measures.owners import OTHERS_PROVE, most_carried
from schemas.measures.percents import in_percent

ONE_END = 0.025
"""How often the upper end of a 95 % interval may lie below the truth."""


def letter_after(letter: Grade, found: Grading, earlier: Sequence[Grade]) -> tuple[Grade, str]:
    """The letter of a release, and why it is not ``letter``, in a sentence; empty where it is.

    ``found``: what ``letter`` is based on: its evidence, and what the hub's own cases and others' prove of it
    (``measures.owners``), which are drawn anew too. ``earlier``: the letters of earlier releases of the package and
    of its code that drew cases too, in any order. Only worse ones are tries. The letter never gets worse than the
    best of those.
    """
    worse = [one for one in earlier if one is not Grade.UNMEASURED and is_worse(one, letter)]
    if not worse or letter is Grade.UNMEASURED:
        return letter, ""
    tries = len(worse) + 1
    best = min(worse, key=place_of)
    surer = min(best, _letter_of(found, ONE_END / tries), key=place_of)
    if not is_worse(surer, letter):
        return letter, ""
    sure = in_percent(1 - ONE_END / tries, 2)
    return at_most(surer, letter), (
        f"{_releases(len(worse))} of this package or its code had a worse grade on cases drawn for them, and among "
        f"{tries} draws one may be lucky: a better grade than {best.value} must hold at {sure} % instead of 97.5 %."
    )


def _letter_of(found: Grading, one_end: float) -> Grade:
    """The letter of all evidence, and no better than the hub's own cases and others' carry at the same error."""
    assert found.reads is not None, "a letter is based on something"
    letter = _letter_at(found.reads, one_end)
    if found.hubs_own is None:
        return letter
    letter = at_most(letter, most_carried(_letter_at(found.hubs_own, one_end)))
    if letter is Grade.A and found.others is not None and is_worse(_letter_at(found.others, one_end), OTHERS_PROVE):
        return Grade.B
    return letter


def _releases(count: int) -> str:
    return "1 earlier release" if count == 1 else f"{count} earlier releases"


def _letter_at(reads: Measurement, one_end: float) -> Grade:
    """The letter of upper ends that lie below the truth in ``one_end`` of all draws."""
    z = NormalDist().inv_cdf(1 - one_end)
    sides = ((reads.fpr, reads.fp + reads.tn), (reads.fnr, reads.fn + reads.tp))
    high = max(_high(rate, cases, z) for rate, cases in sides)
    return grade_within(high)


def _high(rate: Rate, cases: int, z: float) -> float:
    """Wilson's upper end at ``z``, at least that of as many clusters without an error, and the rate's own."""
    if rate.value is None:
        return 1.0
    tries = float(cases) if rate.tries is None else rate.tries
    clusters = cases if rate.clusters is None else rate.clusters
    return max(rate.high, _wilson_high(rate.value, tries, z), _wilson_high(0.0, clusters, z))


def _wilson_high(share: float, tries: float, z: float) -> float:
    if tries <= 0:
        return 1.0
    centre = share + z * z / (2 * tries)
    half = z * math.sqrt(share * (1 - share) / tries + z * z / (4 * tries * tries))
    return min(1.0, (centre + half) / (1 + z * z / tries))
