"""Requests are read strictly: what cannot be had is refused by name, what changes nothing is let through."""

import json

import pytest

from trainer_bridge.serving.wire import ChatRequest, RequestError

BASE = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}


def read(**more):
    return ChatRequest.read(json.dumps({**BASE, **more}).encode())


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"temperature": 3}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages"),
        ({"stop": ["\n", ""]}, "stop"),
        ({"stop": 3}, "stop"),
        ({"stop": [str(number) for number in range(17)]}, "stop"),
        ({"stop": "x" * 1_000_000}, "stop"),
        ({"parallel_tool_calls": False}, "parallel_tool_calls"),
        ({"tools": [{"type": "function"}]}, "tools"),
        ({"functions": [{"name": "add"}]}, "functions"),
        ({"n": 0}, "n"),
        ({"presence_penalty": 0.5}, "presence_penalty"),
        ({"top_logprobs": 5}, "top_logprobs"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"temprature": 0.5}, "temprature"),
    ],
)
def test_what_cannot_be_had_is_refused_by_name(more, param):
    with pytest.raises(RequestError) as refused:
        read(**more)
    assert refused.value.status == 400
    assert refused.value.body["error"]["type"] == "invalid_request_error"
    assert refused.value.body["error"]["param"].split(".")[0] == param


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"x"', b"\xff"])
def test_what_is_no_request_is_refused(body):
    with pytest.raises(RequestError):
        ChatRequest.read(body)


def test_what_changes_nothing_is_let_through():
    read(user="me", presence_penalty=0, stop=None, logit_bias={}, response_format={"type": "text"}, store=False)


def test_parts_of_text_are_one_text_and_pictures_are_refused():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    said = read(messages=[{"role": "developer", "content": parts}]).conversation()
    assert said == [{"role": "system", "content": "ab"}]
    picture = [{"type": "image_url", "image_url": {"url": "x"}}]
    with pytest.raises(RequestError, match="text only"):
        read(messages=[{"role": "user", "content": picture}]).conversation()
