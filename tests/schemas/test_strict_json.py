"""JSON from strangers: a value that every reader sees alike, or a ValueError."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.strict_json import first_line, may_hold_unfit_number, parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_what_json_can_say_is_read_back(value: object) -> None:
    text = json.dumps(value)
    assert parse_json(text) == value
    assert parse_json(text.encode()) == value


@pytest.mark.parametrize(
    "text",
    ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "[-1e999]", "", " ", "{", '{"a": 1,}', "[1 2]", "01", "+1", ".5", "'a'", "1" * 5000,
     "[" * 100_000, '{"a":' * 100_000, "null null", '"\n"', "\ufeff1"],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_json(text)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_value_error(data: bytes) -> None:
    try:
        value = parse_json(data)
    except ValueError:
        return
    assert json.loads(json.dumps(value, allow_nan=False)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_survives(number: float) -> None:
    read = parse_json(repr(number))
    assert read == number
    assert math.isfinite(read)


@given(digits=st.integers(1, 400), exponent=st.integers(0, 400), sign=st.sampled_from(["e", "E", "e+", "E+0", "e00"]))
def test_no_number_that_is_too_large_escapes_the_search(digits: int, exponent: int, sign: str) -> None:
    number = f"{'9' * digits}.0{sign}{exponent}"
    assert may_hold_unfit_number(number.encode()) or math.isfinite(float(number))


def test_usual_lines_are_not_parsed_twice() -> None:
    line = json.dumps({"id": "7", "task": {"n": 10**18, "x": [1e-300, 1.5e10, 0.1]}, "response": "2 + 2 = 4"})
    assert not may_hold_unfit_number(line.encode())


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("one\ntwo"), "one"),
        (ValueError(""), "ValueError"),
        (KeyError(), "KeyError"),
        (ValueError("\n"), "ValueError"),
    ],
)
def test_the_first_line_says_something(error: Exception, line: str) -> None:
    assert first_line(error) == line
