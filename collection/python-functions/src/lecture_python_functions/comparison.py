"""Strict comparison of plain JSON values."""

import math

RELATIVE_TOLERANCE = 1e-6


def is_same(value: object, expected: object) -> bool:
    """Equal in kind and value. Numbers by value (2 and 2.0, True and 1), floats within 1e-6; lists item by item."""
    if isinstance(expected, int | float):
        if not isinstance(value, int | float):
            return False
        if isinstance(expected, int) and isinstance(value, float):  # a tolerance would let 1000000.9 pass for 1000000
            return math.isfinite(value) and math.isclose(value, expected, rel_tol=1e-12)
        if isinstance(expected, float) or isinstance(value, float):
            finite = math.isfinite(value) and math.isfinite(expected)
            return finite and math.isclose(value, expected, rel_tol=RELATIVE_TOLERANCE, abs_tol=RELATIVE_TOLERANCE)
        return value == expected
    if isinstance(expected, list):
        same_shape = isinstance(value, list) and len(value) == len(expected)
        return same_shape and all(map(is_same, value, expected))
    if isinstance(expected, dict):
        same_keys = isinstance(value, dict) and value.keys() == expected.keys()
        return same_keys and all(is_same(value[key], expected[key]) for key in expected)
    return type(value) is type(expected) and value == expected
