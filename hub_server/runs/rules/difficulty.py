"""How hard an environment is, by what models of two sizes reached on it."""

import re
from collections.abc import Iterable, Sequence

from schemas.measures.intervals import Interval
from schemas.package import Difficulty

SMALL = 2e9
"""Parameters; a model with fewer is small."""
HARD, SOLVED, REACHED = 0.2, 0.8, 0.05
"""Pass rates: the upper end of the best model's interval for *hard*, the lower end for the other two."""
ENOUGH = 2
"""At least this many accounts must agree. All owners of the package together count as one account."""
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


def difficulty_of(measured: Iterable[tuple[str, str, Interval]]) -> list[Difficulty]:
    """How hard an environment is, for each of the two sizes of models on which accounts agree.

    ``measured``: evaluations, each as (voice, model, pass rate). A voice is the account that reported it. Of its models
    of one size the best counts. Nobody checks reports, so one voice is not enough: at least ``ENOUGH`` must say the
    same, and of several such results the easiest holds. Models of unknown size are left out.
    """
    best: dict[bool, dict[str, Interval]] = {True: {}, False: {}}
    for voice, model, rate in measured:
        parameters = parameters_of(model)
        if parameters is not None:
            of_size = best[parameters < SMALL]
            of_size[voice] = max(of_size.get(voice, rate), rate, key=lambda one: one.value)
    said = [_agreed(list(best[is_small].values()), *kinds) for is_small, kinds in _KINDS.items()]
    return [one for one in said if one is not None]


def _agreed(
    rates: Sequence[Interval], hard: Difficulty, reachable: Difficulty, solved: Difficulty
) -> Difficulty | None:
    """The easiest result that enough voices support. A voice for *solved* also supports *reachable*."""
    if sum(rate.low >= SOLVED for rate in rates) >= ENOUGH:
        return solved
    if sum(rate.low > REACHED and rate.high > HARD for rate in rates) >= ENOUGH:
        return reachable
    return hard if sum(rate.high <= HARD for rate in rates) >= ENOUGH else None
