"""Checks a hub's verdicts against the declared vector. A hub is trusted no more than a box."""

import math
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from schemas.manifest import RewardDeclaration
from schemas.verdict import ErrorKind, Verdict, VerdictError

Declared = Mapping[str, RewardDeclaration]


def read_verdict(data: Any, declared: Declared) -> Verdict:
    """The verdict in ``data``. One that breaks the declaration is replaced by null with kind ``host``."""
    try:
        if not isinstance(data, dict):
            raise ValueError(f"it is {type(data).__name__}, not an object")  # noqa: TRY004 -- all faults are one kind
        rewards = read_rewards(data.get("rewards"), declared)
        error = VerdictError.read(data["error"]) if data.get("error") is not None else None
        if error is not None and any(value is not None for value in rewards.values()):
            raise ValueError("it holds rewards and an error")
        return Verdict(rewards=rewards, info=data.get("info") or {}, error=error)
    except ValueError as fault:
        first = fault.errors()[0]["msg"] if isinstance(fault, ValidationError) else fault
        return Verdict.unjudged(list(declared), ErrorKind.HOST, f"the hub's verdict cannot be used: {first}")


def read_rewards(value: Any, declared: Declared) -> dict[str, float | None]:
    """``value`` as the declared vector: each name once, a number within its range or None.

    Raises ValueError with what is wrong.
    """
    if not isinstance(value, dict):
        raise ValueError(f"rewards is {type(value).__name__}, not an object")  # noqa: TRY004 -- all faults are one kind
    if value.keys() != declared.keys():
        missing = ", ".join(name for name in declared if name not in value)
        foreign = ", ".join(repr(name)[:60] for name in value if name not in declared)
        raise ValueError("; ".join(filter(None, [missing and f"without {missing}", foreign and f"foreign {foreign}"])))
    return {name: _read_number(name, value[name], *reward.range) for name, reward in declared.items()}


def _read_number(name: str, value: Any, low: float, high: float) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"reward {name} is {type(value).__name__}, not a number")  # noqa: TRY004 -- as above
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or not low <= number <= high:
        raise ValueError(f"reward {name} is {number}, outside its declared range [{low}, {high}]")
    return number
