"""Checks a verdict against the declared reward vector: each declared name, with a number in its range or None, and no
other.
"""

import math
from collections.abc import Mapping
from typing import Any


class BrokenVectorError(ValueError):
    """``verify`` returned something else than ``[rewards.*]`` declares. The message says what differs."""


def check_vector(
    value: Any, declared: Mapping[str, tuple[float, float]], giver: str = "verify()"
) -> dict[str, float | None]:
    """Return ``value`` as plain floats. ``declared`` maps each name to its ``(low, high)``.

    ``giver``: what returned it, for messages.
    """
    if not isinstance(value, dict):
        raise BrokenVectorError(
            f"{giver} returned {type(value).__name__}; return a dict: {{{next(iter(declared), 'correct')!r}: 1.0}}"
        )
    if value.keys() != declared.keys():
        raise BrokenVectorError(_names_problem(value, declared, giver))
    for name, (low, high) in declared.items():
        number = value[name]
        if type(number) is not float or not low <= number <= high or number - number:  # NaN and infinity differ
            break
    else:
        return dict(value)  # the usual case, in few steps
    return {name: _check_value(name, value[name], *bounds) for name, bounds in declared.items()}


def _check_value(name: str, value: Any, low: float, high: float) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        kind = type(value).__name__
        raise BrokenVectorError(f"reward {name} is {kind} {_short(value)}; return a float, for example float(...)")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BrokenVectorError(f"reward {name} is {number}; return None where nothing can be judged")
    if not low <= number <= high:
        raise BrokenVectorError(f"reward {name} is {number}, outside its declared range [{low}, {high}]")
    return number


def _names_problem(value: Mapping[Any, Any], declared: Mapping[str, Any], giver: str) -> str:
    missing = [name for name in declared if name not in value]
    extra = [name for name in value if name not in declared]
    parts = []
    if missing:
        parts.append(f"{giver} did not return {', '.join(missing)} (None means: could not be judged)")
    if extra:
        parts.append(
            f"{giver} returned {', '.join(_short(name) for name in extra)}, which verihub.toml does not declare"
        )
    return "; ".join(parts)


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # an author's object, and its own __repr__
        return "(its repr fails)"
    return text if len(text) <= 60 else text[:57] + "..."
