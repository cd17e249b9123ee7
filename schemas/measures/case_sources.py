"""Sources of cases on which a verifier errs surely more often than on the others."""

import math
from collections.abc import Mapping

Count = tuple[float, float]
"""Errors, and how many independent cases."""
SURE_DIFFERENCE = 0.05
"""Level of the test that a source is worse than the others, over all sources (Bonferroni)."""
FEWEST_ERRORS = 2
"""One error may be one wrong label."""


def worse_sources(counts: Mapping[str, Count]) -> list[str]:
    """The sources whose rate of errors is surely higher than that of all others together.

    Fisher's exact test (1922), one-sided. Fractions are rounded in favour of "no difference".
    """
    if len(counts) < 2:
        return []
    level = SURE_DIFFERENCE / len(counts)
    found = []
    for name, (errors, tries) in counts.items():
        others = [count for other, count in counts.items() if other != name]
        rest = math.ceil(sum(one for one, _ in others) - 1e-9), math.floor(sum(many for _, many in others) + 1e-9)
        own = math.floor(errors + 1e-9), math.ceil(tries - 1e-9)
        if own[0] >= FEWEST_ERRORS and chance_of_difference(own, rest) <= level:
            found.append(name)
    return found


def chance_of_difference(one: tuple[int, int], other: tuple[int, int]) -> float:
    """P(at least so many of all errors fall to the first) if both err alike, from (errors, tries) of each.

    The upper tail of the hypergeometric distribution.
    """
    (errors, tries), (more, others) = one, other
    total, marked = tries + others, errors + more
    whole = math.comb(total, tries)
    ways = (math.comb(marked, k) * math.comb(total - marked, tries - k) for k in range(errors, min(marked, tries) + 1))
    return sum(ways) / whole
