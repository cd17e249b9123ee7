"""Cursors for lists in pages (keyset paging). A cursor is opaque, and holds for one list in one order."""

import base64
import binascii
import json
from typing import Any

from hub_server.errors import InvalidRequestError

MAX_LIMIT = 100  # chosen, not measured


def check_limit(limit: int) -> int:
    """``limit`` when it is 1 to 100."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidRequestError(f"limit must be 1 to {MAX_LIMIT}, not {limit}.")
    return limit


def encode_cursor(kind: str, *values: Any) -> str:
    """An opaque keyset cursor; ``kind`` names the list and its order, so that it cannot be used on another."""
    text = json.dumps([kind, *values], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None, kind: str, *types: type) -> list[Any] | None:
    """The cursor's values, or None without one. Raises ``InvalidRequestError`` for what this list did not give out."""
    if not cursor:
        return None
    refusal = InvalidRequestError("This cursor is not one of this list: start again without it.")
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii", "strict") + b"=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        raise refusal from None
    if not isinstance(values, list) or not values or values[0] != kind or len(values) != len(types) + 1:
        raise refusal
    if not all(_is_sound(value, wanted) for value, wanted in zip(values[1:], types, strict=True)):
        raise refusal
    return values[1:]


def _is_sound(value: Any, wanted: type) -> bool:
    """Whether a value has its type, and a database can be asked about it: no half of a surrogate pair, 64 bits."""
    if type(value) is not wanted:
        return False
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63
