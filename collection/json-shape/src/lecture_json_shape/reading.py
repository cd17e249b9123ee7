"""Reads a response as one JSON value, and checks it against a schema. Strict JSON: no doubled keys, no NaN, bounded."""

import json
import re
from decimal import Decimal

LONGEST, DEEPEST, MOST_DIGITS = 20_000, 30, 40
_BLOCK = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_TAKEN_BACK = re.compile(
    r"[{}\[\]]|\b(?:not|isn't|isn’t|never|wrong|incorrect|false|or|instead|rather)\b", re.IGNORECASE
)
Json = object


class NoJson(ValueError):
    """A response is not one JSON value."""


def read(response: object) -> Json:
    """The value of a response: the whole of it, or its only code block. Raises :class:`NoJson`."""
    if not isinstance(response, str) or len(response) > 10 * LONGEST:
        raise NoJson("no text, or too long")
    text = response.rsplit("</think>", 1)[-1].replace("\r\n", "\n").strip().removeprefix("\ufeff")
    blocks = _BLOCK.findall(text) if "```" in text else []
    if len(blocks) > 1 or (blocks and "```" in _BLOCK.sub("", text)):
        raise NoJson("several code blocks")
    if blocks and _TAKEN_BACK.search(_BLOCK.sub(" ", text)):
        raise NoJson("the words around the code block take it back, or hold more JSON")
    return parse(blocks[0] if blocks else text)


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


def fits(schema: dict, value: Json) -> bool:
    """Whether a value fits a schema, for the words of JSON Schema that the tasks use."""
    if "anyOf" in schema:
        return any(fits(each, value) for each in schema["anyOf"])
    if "enum" in schema:
        return isinstance(value, str) and value in schema["enum"]
    if not _TYPES[schema["type"]](value):
        return False
    if schema["type"] == "object":
        known = schema["properties"]
        return set(value) == set(known) and all(fits(known[name], each) for name, each in value.items())
    if schema["type"] == "array":
        return len(value) >= schema.get("minItems", 0) and all(fits(schema["items"], each) for each in value)
    if schema["type"] == "string":
        return re.search(schema["pattern"].replace("$", r"\Z"), value) is not None if "pattern" in schema else True
    return schema["type"] not in ("integer", "number") or value <= schema.get("maximum", value)


_TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, Decimal),
    "integer": lambda value: isinstance(value, Decimal) and value == value.to_integral_value(),
}
