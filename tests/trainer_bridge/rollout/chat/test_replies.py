"""Calls of tools are read where tools were offered, and nothing is lost of any other answer."""

import json

import pytest

from trainer_bridge.rollout.chat.replies import as_message

TAGGED = 'So: <tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        TAGGED,
        '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>',
        '{"name": "add", "parameters": {"a": 1}}',
        '<|python_tag|>{"name": "add", "parameters": {"a": 1}}',
    ],
)
def test_calls_are_read_in_the_forms_that_models_write(text):
    (call,) = as_message(text, has_tools=True)["tool_calls"]
    assert call["function"]["name"] == "add"
    assert json.loads(call["function"]["arguments"]) == {"a": 1}


def test_words_beside_a_call_stay():
    assert as_message(TAGGED, has_tools=True)["content"] == "So:"


@pytest.mark.parametrize(
    "text", ["", "  2 \n", '{"a": 1}', "<tool_call>{broken</tool_call>", '<tool_call>{"x": 1}</tool_call>']
)
def test_what_is_no_call_is_the_answer_as_it_stands(text):
    assert as_message(text, has_tools=True) == {"role": "assistant", "content": text}


def test_without_tools_nothing_is_taken_for_a_call():
    assert as_message(TAGGED, has_tools=False) == {"role": "assistant", "content": TAGGED}
