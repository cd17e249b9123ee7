"""Reads a response as one JSON value, and checks it against a schema. Strict JSON: no doubled keys, no NaN, bounded."""

import json
import re
from decimal import Decimal

LONGEST, DEEPEST, MOST_DIGITS = 20_000, 30, 40
_BLOCK = re.compile(r"(```|~~~)(?:[a-zA-Z]\w*(?=\s))?\s*(.*?)\1", re.DOTALL)
_LEAD_IN = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok)\b[,.!:]? *)?"
    r"(?:(?:(?:here(?: is|'s)|this is) )?(?:the |your |my )?"
    r"(?:final |extracted |requested |complete |valid |resulting )?"
    r"(?:json|answer|result|object|output)(?: object| output| answer)?[:.]?)?\s*",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"\s*(?:(?:i )?hope (?:that )?this helps[.!]?)?\s*", re.IGNORECASE)
"""All that may stand around a code block. Free words could take the block back, and no rule knows all such words."""
Json = object


class NoJson(ValueError):
    """A response is not one JSON value."""


def read(response: object) -> Json:
    """The value of a response: the whole of it, or one code block with a short lead-in. Raises :class:`NoJson`."""
    if not isinstance(response, str) or len(response) > 10 * LONGEST:
        raise NoJson("no text, or too long")
    text = response.rsplit("</think>", 1)[-1].replace("\r\n", "\n").strip().removeprefix("\ufeff")
    found = _BLOCK.search(text)
    if not found:
        return parse(text)
    before, after = text[: found.start()].replace("’", "'"), text[found.end() :]
    if len(before) > 200 or not _LEAD_IN.fullmatch(before) or not _CLOSING.fullmatch(after):
        raise NoJson("other words, or more code blocks, stand around the code block")
    return parse(found[2].strip())


def parse(text: str) -> Json:
    """Strict JSON with numbers as they are written. Raises :class:`NoJson`."""
    if len(text) > LONGEST or _depth(text) > DEEPEST:
        raise NoJson("too long or too deep")
    try:
        return json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_number, parse_float=_number
        )
    except (ValueError, RecursionError, ArithmeticError) as error:
        raise NoJson(str(error)[:200]) from None


def _depth(text: str) -> int:
    """The most brackets that are open at once, those in texts counted too."""
    depth = most = 0
    for char in text:
        if char in "[{":
            depth += 1
            most = max(most, depth)
        elif char in "]}":
            depth -= 1
    return most


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NoJson("a key is there twice")
    return found


def _refuse(name: str) -> None:
    raise NoJson(f"{name} is no JSON")


def _number(text: str) -> Decimal:
    number = Decimal(text)
    if len(text) > MOST_DIGITS or abs(number.adjusted()) > MOST_DIGITS:
        raise NoJson("a number is too long")
    return number


def fits(schema: dict | bool, value: Json) -> bool:
    """Whether a value fits a schema, for the words of JSON Schema that tasks use; other words are not looked at.

    A suite may bring schemas of its own: with keys that may be missing, more keys, or values of any type. As a schema
    ``true`` takes every value and ``false`` none.
    """
    if isinstance(schema, bool):
        return schema
    if "anyOf" in schema:
        return any(fits(each, value) for each in schema["anyOf"])
    if "enum" in schema:
        return any(_same(each, value) for each in schema["enum"])
    kinds = schema.get("type", list(_TYPES))
    if not any(_TYPES[kind](value) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, dict):
        return _object_fits(schema, value)
    if isinstance(value, list):
        items = schema.get("items", {})
        return len(value) >= schema.get("minItems", 0) and all(fits(items, each) for each in value)
    if isinstance(value, str):
        return re.search(schema["pattern"].replace("$", r"\Z"), value) is not None if "pattern" in schema else True
    is_number = isinstance(value, Decimal)
    return not is_number or schema.get("minimum", value) <= value <= schema.get("maximum", value)


def _object_fits(schema: dict, value: dict) -> bool:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    if not set(schema.get("required", ())) <= set(value):
        return False
    return all(fits(known.get(name, more), each) for name, each in value.items())


def _same(one: object, value: Json) -> bool:
    """Whether a value of an ``enum`` is this one: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, Decimal):
        return isinstance(one, int | float) and not isinstance(one, bool) and Decimal(str(one)) == value
    return type(one) is type(value) and one == value


_TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, Decimal),
    "integer": lambda value: isinstance(value, Decimal) and value == value.to_integral_value(),
}
