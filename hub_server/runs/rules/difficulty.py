"""How hard an environment is, by what models of two sizes reached on it."""

import re
from collections.abc import Iterable

from schemas.measures.intervals import Interval
from schemas.package import Difficulty

SMALL = 2e9
"""Parameters; a model with fewer is small."""
HARD, SOLVED, REACHED = 0.2, 0.8, 0.05
"""Pass rates: the upper end of the best model's interval for *hard*, the lower end for the other two."""
_SIZE = re.compile(r"(?<![\w.])(?:(\d+)x)?(\d+(?:\.\d+)?)([mbt])(?![a-z0-9])", re.IGNORECASE)
_OURS = {"local:smollm2": 135e6}
"""Names of Verihub's own, which tell no size."""
_UNITS = {"m": 1e6, "b": 1e9, "t": 1e12}
_KINDS = {
    True: (Difficulty.HARD_FOR_SMALL, Difficulty.REACHABLE_FOR_SMALL, Difficulty.SOLVED_BY_SMALL),
    False: (Difficulty.HARD_FOR_LARGE, Difficulty.REACHABLE_FOR_LARGE, Difficulty.SOLVED_BY_LARGE),
}


def parameters_of(model: str) -> float | None:
    """Parameters that a model's name tells, such as ``SmolLM2-135M`` or ``Qwen2.5-0.5B``; None where it tells none."""
    if model in _OURS:
        return _OURS[model]
    found = _SIZE.findall(model)
    return max((float(times or 1) * float(count) * _UNITS[unit.lower()] for times, count, unit in found), default=None)


def difficulty_of(measured: Iterable[tuple[str, Interval]]) -> list[Difficulty]:
    """What evaluations, each a model and its pass rate, say for each size. Models of unknown size say nothing."""
    best: dict[bool, Interval] = {}
    for model, rate in measured:
        parameters = parameters_of(model)
        if parameters is not None:
            is_small = parameters < SMALL
            best[is_small] = max(best.get(is_small, rate), rate, key=lambda one: one.value)
    said = [_kind_of(rate, *_KINDS[is_small]) for is_small, rate in sorted(best.items(), reverse=True)]
    return [one for one in said if one is not None]


def _kind_of(rate: Interval, hard: Difficulty, reachable: Difficulty, solved: Difficulty) -> Difficulty | None:
    if rate.high <= HARD:
        return hard
    if rate.low >= SOLVED:
        return solved
    return reachable if rate.low > REACHED else None
