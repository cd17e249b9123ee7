"""What models are told of a tool."""

import enum
import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from sandbox.guest.docstrings import read_docstring
from sandbox.guest.schema import UndescribableToolError, function_schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Place(TypedDict):
    city: str
    zip: NotRequired[int]


@dataclass
class Point:
    x: float
    y: float = 0.0
    tags: list[str] = field(default_factory=list)


@dataclass
class Tree:
    children: list["Tree"]


def _of(hint: Any, **default: Any) -> dict[str, Any]:
    def tool(value):
        """Does something."""

    tool.__annotations__ = {"value": hint}
    if default:
        tool.__defaults__ = (default["default"],)
    schema: dict[str, Any] = function_schema(tool)["function"]["parameters"]["properties"]["value"]
    return schema


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (Any, {}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (str | list[str], {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1], {"type": ["integer", "string"], "enum": ["a", 1]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (list[Colour], {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (Mapping[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (
            Place,
            {
                "type": "object",
                "properties": {"city": {"type": "string"}, "zip": {"type": "integer"}},
                "required": ["city"],
                "additionalProperties": False,
            },
        ),
        (
            Point,
            {
                "type": "object",
                "properties": {
                    "x": {"type": "number"},
                    "y": {"type": "number", "default": 0.0},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["x"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_a_hint_becomes_a_schema_that_json_can_hold(hint: Any, schema: dict[str, Any]) -> None:
    made = _of(hint)
    assert made == schema
    json.dumps(made, allow_nan=False)


@pytest.mark.parametrize(
    ("hint", "default", "shown"),
    [(Colour, Colour.RED, "red"), (int | None, None, None), (Point, Point(1.0), {"x": 1.0, "y": 0.0, "tags": []})],
)
def test_a_default_is_shown_as_json(hint: Any, default: Any, shown: Any) -> None:
    assert _of(hint, default=default)["default"] == shown


def test_a_default_that_json_cannot_hold_is_left_out() -> None:
    assert _of(float, default=float("inf")) == {"type": "number"}


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (Callable[[], int], "tool: value: .*Callable.* has no form in JSON"),
        (bytes, "value: bytes has no form in JSON; take text"),
        (dict[int, str], r"value: a JSON object's keys are text, so dict\[str, …\]"),
        (list[object | complex], "value: complex has no form in JSON"),
        (Tree, "the type refers to itself or is too deep"),
        (Literal[b"x"], "value: b'x' is neither text, a number"),
        ("Nowhere", "its type hints cannot be read: name 'Nowhere' is not defined"),
    ],
)
def test_what_json_cannot_say_is_refused_with_the_parameters_name(hint: Any, words: str) -> None:
    with pytest.raises(UndescribableToolError, match=words):
        _of(hint)


def test_arguments_without_a_name_are_refused() -> None:
    def gathers(*values: int) -> None: ...
    def hides(value: int, /) -> None: ...
    def takes_all(**more: int) -> None: ...

    for tool, words in (
        (gathers, r"\*values has no name"),
        (hides, "value is positional-only"),
        (takes_all, r"\*more has"),
    ):
        with pytest.raises(UndescribableToolError, match=words):
            function_schema(tool)


def test_a_name_that_models_cannot_call_is_refused() -> None:
    with pytest.raises(UndescribableToolError, match="größe: a tool's name"):
        function_schema(lambda: None, "größe")


def test_partials_and_objects_are_tools_too() -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    class Adder:
        """Adds."""

        def __call__(self, a: int) -> int:
            return a

    partial = function_schema(functools.partial(add, b=2), "add_two")["function"]
    assert partial["name"] == "add_two"
    assert partial["parameters"]["required"] == ["a"]
    assert function_schema(Adder(), "adder")["function"]["parameters"]["properties"] == {"a": {"type": "integer"}}


GOOGLE = """Find a train.

The next one.

Args:
    start (str): where from,
        by its full name
    end: where to

Returns:
    The train's number.
"""
NUMPY = """Find a train.

The next one.

Parameters
----------
start : str
    where from,
    by its full name
end : str, optional
    where to

Returns
-------
str
    The train's number.
"""
REST = """Find a train.

The next one.

:param str start: where from,
    by its full name
:type start: str
:param end: where to
:returns: The train's number.
"""


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, REST])
def test_three_styles_of_docstring_say_the_same(text: str) -> None:
    summary, described = read_docstring(text)
    assert described == {"start": "where from, by its full name", "end": "where to"}
    assert summary.startswith("Find a train.\n\nThe next one.")
    assert "where from" not in summary
    assert "The train's number." in summary


def test_a_docstring_of_plain_words_is_the_description() -> None:
    assert read_docstring("Find a train. Note: slow.\n\nTimes: in minutes.") == (
        "Find a train. Note: slow.\n\nTimes: in minutes.",
        {},
    )
    assert read_docstring("") == ("", {})
