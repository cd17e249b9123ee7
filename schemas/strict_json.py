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


def may_hold_unfit_number(raw: bytes) -> bool:
    """Whether NaN, infinity or a number too large for a float may stand in JSON: other parsers than ours let it pass.

    True says that it must be parsed again, by :func:`parse_json`. By plain searches: one regular expression for it took
    longer than all else that is done with a line of a scoring stream.
    """
    if b"NaN" in raw or b"Infinity" in raw:
        return True
    digits = raw.translate(_PLAIN_DIGITS)
    return b"0e000" in digits or b"0e+000" in digits or _MANY_DIGITS in digits


_PLAIN_DIGITS = bytes.maketrans(b"123456789E", b"000000000e")
_MANY_DIGITS = b"0" * 200
"""With an exponent of two digits, a number is too large from 210 digits before its point on."""


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
