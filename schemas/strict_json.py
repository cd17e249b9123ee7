"""Parses JSON from strangers: NaN, infinity and too deep nesting are refused with a ValueError."""

import json
import math
from typing import Any


def parse_json(data: bytes | str) -> Any:
    """The value in ``data``. Every failure is a ValueError, also for bytes that are not text."""
    try:
        return _decode(data if isinstance(data, str) else data.decode())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):  # For example 1e999.
        raise ValueError(f"{text[:20]} is too large a number")
    return number


_decode = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite).decode


def first_line(error: Exception) -> str:
    """The first line of the error's message, or its type's name when the message is empty."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
