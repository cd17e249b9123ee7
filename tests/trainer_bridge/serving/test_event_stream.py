"""A stream says what came, tells a failure in its last event, and lets go of the engine when nobody reads on."""

import asyncio
import json

import pytest

from trainer_bridge.rollout.chat import ModelCall, as_message
from trainer_bridge.rollout.decoding.requests import Generated, GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling
from trainer_bridge.serving.event_stream import Writing, stream, without_beginnings
from trainer_bridge.serving.wire import ChatRequest

BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
TOOL = {"type": "function", "function": {"name": "add"}}
ASK = GenerationRequest((1,), 4, Sampling(), seed=0)


def decode(tokens):
    return "".join(map(chr, tokens))


async def read(answering, writing, **more):
    asked = ChatRequest.read(json.dumps({**BODY, **more}).encode())
    events = [event async for event in stream(asked, {"id": "x"}, writing, answering, decode)]
    return [event.removeprefix(b"data: ").strip() for event in events]


def test_a_call_of_a_tool_is_one_delta_with_its_number():
    text = '<tool_call>{"name": "add", "arguments": {}}</tool_call>'
    written = Generated(tuple(map(ord, text)), (0.0,) * len(text), truncated=False)

    async def answering():
        return [ModelCall(ASK, written, as_message(text, has_tools=True))]

    events = asyncio.run(read(answering(), [Writing(ASK)], tools=[TOOL]))
    deltas = [json.loads(event)["choices"][0] for event in events[:-1]]
    (call,) = deltas[1]["delta"]["tool_calls"]
    assert (call["index"], call["function"]["name"]) == (0, "add")
    assert deltas[-1]["finish_reason"] == "tool_calls"
    assert events[-1] == b"[DONE]"


def test_half_a_character_waits_for_its_other_half():
    writing = Writing(ASK)

    async def answering():
        for text in ("a", "a\ufffd", "ab"):
            writing.tell(tuple(map(ord, text)))
        await asyncio.sleep(0)
        return [
            ModelCall(ASK, Generated((97, 98), (0.0, 0.0), truncated=False), {"role": "assistant", "content": "ab"})
        ]

    events = asyncio.run(read(answering(), [writing]))
    said = [json.loads(event)["choices"][0]["delta"].get("content") for event in events[:-1]]
    assert [text for text in said if text] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "sent"),
    [("ab", "ab"), ("abc\n", "abc"), ("abc\n\nd", "abc"), ("a\nb", "a\nb"), ("abST", "ab"), ("abSTOP", "ab"), ("", "")],
)
def test_what_may_begin_a_stop_sequence_is_held_back(text, sent):
    assert without_beginnings(text, ["\n\n", "STOP"]) == sent


def test_a_failure_in_the_middle_is_the_last_event():
    async def answering():
        raise RuntimeError("out of memory")

    *_, last = asyncio.run(read(answering(), [Writing(ASK)]))
    assert json.loads(last)["error"]["type"] == "server_error"


def test_whoever_stops_reading_ends_the_writing():
    writing = Writing(ASK)

    async def answering():
        await asyncio.Event().wait()

    async def leave():
        events = stream(ChatRequest.read(json.dumps(BODY).encode()), {}, [writing], answering(), decode)
        await anext(events)
        assert writing.is_wanted
        await events.aclose()

    asyncio.run(leave())
    assert not writing.is_wanted
