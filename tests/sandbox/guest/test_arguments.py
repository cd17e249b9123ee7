"""What a tool's function gets of a model's arguments, and what the model is told of wrong ones."""

import enum
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

import pytest

from sandbox.guest.arguments import ToolArgumentError, bind_arguments, plain


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Place(TypedDict):
    city: str
    zip: NotRequired[int]


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 0.0


def _bound(hint: Any, value: Any) -> Any:
    def tool(value):
        raise NotImplementedError

    tool.__annotations__ = {"value": hint}
    return bind_arguments(tool, {"value": value})["value"]


@pytest.mark.parametrize(
    ("hint", "given", "made"),
    [
        (float, 3, 3.0),
        (int, 3.0, 3),
        (float | int, 1, 1),
        (int | None, None, None),
        (Colour, "red", Colour.RED),
        (list[Colour], ["blue"], [Colour.BLUE]),
        (set[int], [1, 1, 2], {1, 2}),
        (tuple[int, str], [1, "a"], (1, "a")),
        (dict[str, Point], {"a": {"x": 1}}, {"a": Point(1.0)}),
        (Place, {"city": "Bern"}, {"city": "Bern"}),
        (str | Point, {"x": 1, "y": 2}, Point(1.0, 2.0)),
        (Literal["up", 2], 2, 2),
        (Any, [None, {"a": 1}], [None, {"a": 1}]),
        (list, [1, "a"], [1, "a"]),
    ],
)
def test_an_argument_is_made_what_its_hint_asks_for(hint: Any, given: Any, made: Any) -> None:
    bound = _bound(hint, given)
    assert bound == made
    assert type(bound) is type(made)


@pytest.mark.parametrize(
    ("hint", "given", "words"),
    [
        (int, "3", "value must be an integer, not '3'"),
        (int, True, "value must be an integer, not True"),
        (int, 3.5, "value must be an integer, not 3.5"),
        (str, 3, "value must be text, not 3"),
        (list[int], [1, "b"], r"value\[1\] must be an integer, not 'b'"),
        (dict[str, int], {"a": "b"}, r"value\['a'\] must be an integer, not 'b'"),
        (tuple[int, str], [1], "value must have 2 items, not 1"),
        (Colour, "green", "value must be one of 'red', 'blue', not 'green'"),
        (Literal[1], True, "value must be one of 1, not True"),
        (int | None, "x", "value must be an integer or value must be null, not 'x'"),
        (Point, {"y": 1, "z": 2}, "value has no 'z'; value.x is missing"),
        (Place, "Bern", "value must be an object with city, zip, not 'Bern'"),
        (list[Place], [{"city": 1}], r"value\[0\].city must be text, not 1"),
        (str, ["x" * 500], r"value must be text, not \['x{50,60}…;"),
    ],
)
def test_a_wrong_argument_is_named_with_what_would_be_right(hint: Any, given: Any, words: str) -> None:
    with pytest.raises(ToolArgumentError, match=words):
        _bound(hint, given)


def test_every_fault_is_told_at_once() -> None:
    def book(city: str, nights: int, note: str = "") -> None: ...

    with pytest.raises(ToolArgumentError) as refused:
        bind_arguments(book, {"town": "Bern", "nights": "two"})
    assert str(refused.value) == (
        "book: there is no argument 'town'; city is missing; nights must be an integer, not 'two'; "
        "it takes city, nights, note (optional)"
    )
    with pytest.raises(ToolArgumentError, match="the arguments must be an object, not 'Bern'"):
        bind_arguments(book, "Bern")


def test_results_become_what_json_has_for_them() -> None:
    assert plain([Point(1.0), Colour.RED, {2, 1}, (1, {"a": Colour.BLUE}), {1: "x"}]) == [
        {"x": 1.0, "y": 0.0},
        "red",
        [1, 2],
        [1, {"a": "blue"}],
        {"1": "x"},
    ]
