"""JSON as strangers send it: NaN, infinity and nesting without end are refused with a ValueError."""

import json
import math
from typing import Any


def parse_json(data: bytes | str) -> Any:
    """The value in ``data``. Every way to fail is a ValueError, also bytes that are no text and too deep a nesting."""
    try:
        return _decode(data if isinstance(data, str) else data.decode())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):  # 1e999
        raise ValueError(f"{text[:20]} is too large a number")
    return number


_decode = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite).decode


def first_line(error: Exception) -> str:
    """The first line of what ``error`` says, or its name where it says nothing."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
