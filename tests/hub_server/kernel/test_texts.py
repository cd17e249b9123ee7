"""Text inside JSON: whatever UTF-8 can say passes, what it cannot say is refused wherever it hides."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.errors import InvalidRequestError
from hub_server.kernel.texts import check_text

LEAVES = st.none() | st.integers() | st.text(max_size=5)


@pytest.mark.parametrize(
    "value",
    [
        "\ud800",
        "a\udfff",
        {"x": "\ud800"},
        {"\udfff": 1},
        {"x": [{"y": ["fine", "a\ud83d"]}]},
        ["\ude00\ud83d"],
        ("\ud800",),
    ],
)
def test_half_of_a_pair_is_refused_wherever_it_hides(value) -> None:
    with pytest.raises(InvalidRequestError, match="The run holds half of a surrogate pair"):
        check_text(value, "The run")


@pytest.mark.parametrize("text", ["", "\x00", "\U0001f600", "\ufffd", "\uffff", json.loads('"\\ud83d\\ude00"')])
def test_whole_characters_pass(text: str) -> None:
    check_text({text: [text]}, "x")


@settings(max_examples=30)
@given(st.dictionaries(st.text(max_size=5), LEAVES | st.lists(LEAVES, max_size=3), max_size=3))
def test_what_json_in_utf8_can_say_passes_and_nothing_else(value) -> None:
    check_text(value, "x")
    assert json.loads(json.dumps(value, ensure_ascii=False).encode()) == value


def test_deep_nesting_costs_no_stack() -> None:
    deep: object = "\ud800"
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(InvalidRequestError):
        check_text(deep, "x")
