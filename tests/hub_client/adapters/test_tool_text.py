import json

import pytest

from hub_client.adapters.tool_text import called_in, told_of

SCHEMA = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


def test_tools_are_told_in_one_system_message_and_none_in_none() -> None:
    [told] = told_of([SCHEMA])
    assert told["role"] == "system"
    assert '{"name": "search"' in told["content"]
    assert told_of([]) == []


def test_every_block_is_a_call_and_the_words_around_stay() -> None:
    text = 'I look.<tool_call>{"name": "search", "arguments": {"q": "é"}}</tool_call>\n<tool_call>{"name": "end"}</tool_call>'
    message = called_in(text)
    assert message["content"] == "I look."
    functions = [call["function"] for call in message["tool_calls"]]
    assert [(each["name"], json.loads(each["arguments"])) for each in functions] == [
        ("search", {"q": "é"}),
        ("end", {}),
    ]
    assert len({call["id"] for call in message["tool_calls"]}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "no call",
        "<tool_call>{</tool_call>",
        "<tool_call>[1]</tool_call>",
        '<tool_call>{"name": 1}</tool_call>',
        '<tool_call>{"name": "a"}',
        '<tool_call>{"name": "a"}</tool_call><tool_call>broken</tool_call>',
        "<tool_call>" + "[" * 100_000 + "</tool_call>",
    ],
)
def test_what_is_no_call_is_a_text_as_it_stands(text: str) -> None:
    assert called_in(text) == {"role": "assistant", "content": text}
