"""Cursors come back as they were given out; whatever else is sent is refused in words."""

import base64
import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import MAX_LIMIT, check_limit, decode_cursor, encode_cursor


@given(st.text(), st.integers(-(2**63), 2**63 - 1))
def test_what_was_encoded_is_decoded(text, number) -> None:
    assert decode_cursor(encode_cursor("list", text, number), "list", str, int) == [text, number]


@given(st.text())
def test_a_made_up_cursor_is_refused_or_none_and_never_breaks(text) -> None:
    with contextlib.suppress(InvalidRequestError):
        found = decode_cursor(text, "list", str)
        assert found is None or [type(value) for value in found] == [str]


@pytest.mark.parametrize("cursor", [None, ""])
def test_no_cursor_is_the_beginning(cursor) -> None:
    assert decode_cursor(cursor, "list", str) is None


@pytest.mark.parametrize(
    "content",
    [
        ["other list", "a"], ["list"], ["list", "a", "b"], ["list", 1], ["list", None], ["list", True], "list", 7, None,
        {"list": "a"}, [],
    ],
)  # fmt: skip
def test_a_cursor_of_another_list_order_or_type_is_refused(content) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
    with pytest.raises(InvalidRequestError):
        decode_cursor(cursor, "list", str)


def test_deep_json_in_a_cursor_is_refused() -> None:
    deep = base64.urlsafe_b64encode(b"[" * 100_000).decode()
    with pytest.raises(InvalidRequestError):
        decode_cursor(deep, "list", str)


@pytest.mark.parametrize(("value", "wanted"), [("\ud800", str), ("a\udfff", str), (2**63, int), (-(2**63) - 1, int)])
def test_what_no_database_can_be_asked_about_is_refused(value, wanted) -> None:
    """Each was a fault of the hub: an address that anybody can write."""
    with pytest.raises(InvalidRequestError):
        decode_cursor(encode_cursor("list", value), "list", wanted)


def test_a_flag_is_no_number() -> None:
    with pytest.raises(InvalidRequestError):
        decode_cursor(encode_cursor("list", True), "list", int)


@pytest.mark.parametrize("limit", [1, MAX_LIMIT])
def test_limits_within_the_bounds_pass(limit) -> None:
    assert check_limit(limit) == limit


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1, 10**30])
def test_limits_beyond_the_bounds_are_refused_with_the_bounds(limit) -> None:
    with pytest.raises(InvalidRequestError, match=f"1 to {MAX_LIMIT}"):
        check_limit(limit)
