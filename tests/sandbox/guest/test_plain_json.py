import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest.plain_json import DEEPEST, NotPlainError, depth_of, parse

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(plain, st.booleans())
def test_plain_values_come_back_as_they_were(value: Any, ascii_only: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@given(st.binary(max_size=200) | st.text(alphabet='[]{}",:0123456789.eE+-\\udNaIfinty ').map(str.encode))
def test_bytes_of_any_kind_are_a_finite_value_or_refused(data: bytes) -> None:
    try:
        value = parse(data)
    except NotPlainError:
        return
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    text.encode()
    assert depth_of(value) <= DEEPEST


@pytest.mark.parametrize(
    "data",
    [
        b"NaN",
        b"[-Infinity]",
        b'{"memory_mb": 1e999}',
        b"-1e400",
        b"9" * 400 + b".0",
        b"[" * 100_000,
        b"[" * 201 + b"]" * 201,
        b'{"a":' * 978 + b"1" + b"}" * 978,
        b'"\\ud800"',
        b'{"\\uDC00": 1}',
        b"\xff\xfe",
        b'"\xed\xa0\x80"',
        b"",
        b"{",
        b"1" * 5000,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_what_may_not_go_on_is_refused(data: bytes) -> None:
    with pytest.raises(NotPlainError):
        parse(data)


@pytest.mark.parametrize("data", [b"[" * 200 + b"]" * 200, b'"\\ud83d\\ude00"', b'"' + b"[" * 1000 + b'"', b"1e308"])
def test_what_is_only_unusual_goes_on(data: bytes) -> None:
    parse(data)


@given(st.integers(0, 3000))
def test_depth_is_counted_without_recursion(depth: int) -> None:
    value: Any = 1
    for number in range(depth):
        value = [value] if number % 2 else {"a": value}
    assert depth_of(value) == depth


def test_a_large_finite_number_is_finite() -> None:
    assert math.isfinite(parse(b"1.7976931348623157e308"))
