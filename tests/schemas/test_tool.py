"""What a box says of its tools: what reaches a model, a page or a client can be sent, read and called by everybody."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.tool import BrokenToolError, ToolDescription, ToolResult, is_tool_call, parsed_arguments, words_of_fault

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.sampled_from(["\ud800", "$ref"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.sampled_from(["name", "type", "$ref", "parameters"]), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


def tool(**changes: Any) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": "weather", "description": "Tells it.", "parameters": SCHEMA} | changes,
    }


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


def test_a_function_is_read_as_chat_models_take_it() -> None:
    found = ToolDescription.of_function(tool(description="Tells it.\nMore."))
    assert (found.name, found.summary, found.parameters) == ("weather", "Tells it.", SCHEMA)
    assert found.to_mcp() == {"name": "weather", "description": "Tells it.\nMore.", "inputSchema": SCHEMA}


def test_the_inner_table_alone_will_do_and_other_keys_are_left_out() -> None:
    assert (
        ToolDescription.of_function({"name": "f", "parameters": {"type": "object"}, "strict": True}).description == ""
    )


@pytest.mark.parametrize("name", ["a", "A-b_9", "x" * 128])
def test_names_that_every_client_can_call(name: str) -> None:
    assert ToolDescription.of_function(tool(name=name)).name == name


@pytest.mark.parametrize("name", ["", "x" * 129, "a b", "a.b", "a/b", "ä", "a\n", "\x1b[2J", None, 3])
def test_other_names_are_refused(name: object) -> None:
    with pytest.raises(BrokenToolError, match="name"):
        ToolDescription.of_function(tool(name=name))


@pytest.mark.parametrize(
    "parameters",
    [
        {}, {"type": "array"}, {"type": ["object"]}, [], None, "object",
        {"type": "object", "properties": {"a": {"$ref": "https://example.org/x"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/definitions/a"}}},
        {"type": "object", "$dynamicRef": "#a"},
        {"type": "object", "x": "y" * 64_001},
        {"type": "object", "x": ["y"] * 20_000},
        {"type": "object", "default": float("nan")},
        {"type": "object", "default": float("inf")},
        {"type": "object", "description": "\ud800"},
        {"type": "object", "properties": {"\udfff": {}}},
        nested(400),
        nested(50_000),
    ],
    ids=range(17),
)  # fmt: skip
def test_a_schema_that_refers_elsewhere_or_cannot_be_sent_is_refused(parameters: object) -> None:
    with pytest.raises(BrokenToolError):
        ToolDescription.of_function(tool(parameters=parameters))


def test_a_word_that_looks_like_a_reference_is_only_a_word() -> None:
    said = 'set "$ref" to nothing'
    assert (
        ToolDescription.of_function(tool(description=said, parameters=SCHEMA | {"description": said})).parameters[
            "description"
        ]
        == said
    )


def test_an_endless_description_is_refused() -> None:
    assert ToolDescription.of_function(tool(description="x" * 16_000))
    with pytest.raises(BrokenToolError, match="description"):
        ToolDescription.of_function(tool(description="x" * 16_001))


@settings(deadline=None)
@given(ANY_JSON)
def test_whatever_a_box_lists_is_a_tool_that_can_be_sent_or_is_refused(listed: object) -> None:
    for said in (
        listed,
        {"function": listed},
        tool(parameters=listed),
        tool(parameters={"type": "object", "properties": listed}),
    ):
        try:
            found = ToolDescription.of_function(said)
        except BrokenToolError:
            continue
        assert ToolDescription.model_validate_json(found.model_dump_json()) == found
        json.dumps(found.to_mcp(), allow_nan=False).encode()


@settings(deadline=None)
@given(ANY_JSON)
def test_whatever_a_call_returned_can_be_sent(value: object) -> None:
    result = ToolResult.of(value)
    result.model_dump_json()
    json.dumps(result.to_mcp(), allow_nan=False, ensure_ascii=False).encode()


def test_text_stays_text_and_objects_stay_objects() -> None:
    assert ToolResult.of("hello").to_mcp() == {"content": [{"type": "text", "text": "hello"}], "isError": False}
    answer = ToolResult.of({"grüße": [1, None]}).to_mcp()
    assert answer["content"][0]["text"] == '{"grüße": [1, null]}'
    assert answer["structuredContent"] == {"grüße": [1, None]}
    assert "structuredContent" not in ToolResult.of([1, 2]).to_mcp()


def test_an_error_carries_no_data() -> None:
    assert "structuredContent" not in ToolResult(text="no", data={"a": 1}, is_error=True).to_mcp()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("KeyError: 'x'\n  File \"/a.py\", line 1\n    x", "KeyError: 'x'"),
        ('  File "/a.py", line 1', ""),
        ("", ""),
        ("one\ntwo\n", "one\ntwo"),
        ('the File "a" is lost', 'the File "a" is lost'),
    ],
)  # fmt: skip
def test_frames_of_an_author_s_code_are_left_out(text: str, words: str) -> None:
    assert words_of_fault(text) == words


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ({"id": "1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}, True),
        ({"function": {"name": "look_up"}}, True),
        ({"function": {"name": 3}}, False),
        ({"function": "look_up"}, False),
        ({"name": "look_up"}, False),
        ("look_up", False),
    ],
)
def test_a_tool_call_names_a_function(said: object, is_one: bool) -> None:
    assert is_tool_call(said) is is_one


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [('{"city": "Oslo"}', {"city": "Oslo"}), ({"city": "Oslo"}, {"city": "Oslo"}), ("{", "{"), (None, None), ("[" * 10**5, "[" * 10**5)],
)  # fmt: skip
def test_arguments_are_read_from_their_text_and_what_is_no_json_stays(arguments: object, meant: object) -> None:
    assert parsed_arguments(arguments) == meant
