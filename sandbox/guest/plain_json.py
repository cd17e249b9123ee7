"""Parses JSON from strangers. Allowed are finite numbers, valid Unicode and a limited depth."""

import json
import math
from typing import Any

DEEPEST = 200
"""The most levels of lists and objects. Python's decoder fails near 1,000, or earlier if its caller's stack is deep."""


class NotPlainError(ValueError):
    """The bytes are not JSON, or not allowed here. The message says why."""


def parse(data: bytes, around: int = 0) -> Any:
    """The value of ``data``, which must be JSON in UTF-8. Raises NotPlainError.

    It may be nested :data:`DEEPEST` + ``around`` levels deep. ``around`` is the number of levels that our own message
    puts around a stranger's value.
    """
    deepest = DEEPEST + around
    try:
        value = _decode(data.decode())
        opened = data.count(b"[") + data.count(b"{")
        if opened > deepest and depth_of(value) > deepest:
            raise NotPlainError(f"it is nested more than {DEEPEST} deep")
        if b"\\ud" in data.lower():  # this escape may be half of a surrogate pair
            json.dumps(value, ensure_ascii=False).encode()
    except NotPlainError:
        raise
    except RecursionError:
        raise NotPlainError(f"it is nested more than {DEEPEST} deep") from None
    except UnicodeError:
        raise NotPlainError("it holds bytes or half a surrogate pair that are no text") from None
    except ValueError as error:
        raise NotPlainError(f"it is not JSON: {error}") from None
    return value


def depth_of(value: Any) -> int:
    """The depth of nested lists and dicts, computed without recursion."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, (list, tuple, dict))]:
        depth += 1
        level = [inner for item in level for inner in (item.values() if isinstance(item, dict) else item)]
    return depth


def _refuse(name: str) -> Any:
    raise NotPlainError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotPlainError(f"{text[:20]} is too large for a number")
    return number


_decode = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite).decode
"""Made once: ``json.loads`` with these options would make a decoder each time."""
