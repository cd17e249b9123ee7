"""Streams an answer as events while it is generated."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from trainer_bridge.rollout.chat import ModelCall, text_before
from trainer_bridge.rollout.decoding.requests import GenerationRequest
from trainer_bridge.serving.wire import (
    ChatRequest,
    Decode,
    RequestError,
    as_choice,
    as_event,
    as_usage,
    finish_reason,
)

_UNFINISHED = "\ufffd"  # part of a character whose last token has not come yet


class Writing:
    """One answer in progress: whether it is still wanted, and who gets its progress."""

    def __init__(self, request: GenerationRequest) -> None:
        self.request = request
        self.sent = request
        self.is_wanted = True
        self.tell: Callable[[Sequence[int]], None] | None = None

    def watched(self) -> GenerationRequest:
        """The request for the engine, with these callbacks."""
        self.sent = replace(self.request, progress=self.tell, is_wanted=lambda: self.is_wanted)
        return self.sent


async def stream(
    asked: ChatRequest,
    head: dict[str, Any],
    writing: Sequence[Writing],
    answering: Coroutine[Any, Any, list[ModelCall]],
    decode: Decode,
) -> AsyncIterator[bytes]:
    """Yield text as it comes; with tools or log-probabilities only at the end, when the whole answer can be parsed.

    Generation ends if the reader stops.
    """
    news: asyncio.Queue[tuple[int, Sequence[int]] | None] = asyncio.Queue()
    _listen(writing, news)
    finished = asyncio.ensure_future(answering)
    finished.add_done_callback(lambda _: news.put_nowait(None))
    events = _Events(asked, {**head, "object": "chat.completion.chunk"}, decode, len(writing))
    try:
        for index in range(len(writing)):
            yield events.chunk(index, {"role": "assistant", "content": ""})
        while (progress := await news.get()) is not None:
            for event in events.more(*progress):
                yield event
        for event in events.ends(await finished, len(writing[0].request.prompt)):
            yield event
    except Exception as error:  # noqa: BLE001 -- the error goes into the stream, as in OpenAI's API
        yield as_event(RequestError(str(error), status=500).body)
    finally:
        for one in writing:
            one.is_wanted = False
        finished.cancel()


def _listen(writing: Sequence[Writing], news: "asyncio.Queue[tuple[int, Sequence[int]] | None]") -> None:
    """Pass progress from the engine's thread to ``news`` on this event loop."""
    loop = asyncio.get_running_loop()

    def teller(index: int) -> Callable[[Sequence[int]], None]:
        def tell(tokens: Sequence[int]) -> None:
            loop.call_soon_threadsafe(news.put_nowait, (index, tokens))

        return tell

    for index, one in enumerate(writing):
        one.tell = teller(index)


class _Events:
    """The events of one answer. It tracks what was already sent of each choice."""

    def __init__(self, asked: ChatRequest, head: dict[str, Any], decode: Decode, choices: int) -> None:
        self._asked, self._head, self._decode = asked, head, decode
        self._sent = [""] * choices

    def chunk(self, index: int, delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        return as_event({**self._head, "choices": [{"index": index, "delta": delta, "finish_reason": reason, **more}]})

    def more(self, index: int, tokens: Sequence[int]) -> list[bytes]:
        """The event with the new text of a choice, if there is any."""
        text, sent = without_beginnings(self._decode(tokens), self._asked.ends), self._sent[index]
        if self._asked.offered or self._asked.logprobs or text.endswith(_UNFINISHED) or len(text) <= len(sent):
            return []
        self._sent[index] = text
        return [self.chunk(index, {"content": text[len(sent) :]})]

    def ends(self, calls: Sequence[ModelCall], prompt_tokens: int) -> list[bytes]:
        """The last events: the rest of each choice, its finish reason, the usage, and the end of the stream."""
        found = []
        for index, call in enumerate(calls):
            whole = as_choice(index, call, self._asked, self._decode)
            rest = {name: whole["message"][name] for name in ("content", "tool_calls") if name in whole["message"]}
            rest["content"] = (rest["content"] or "")[len(self._sent[index]) :]
            beside = {name: whole[name] for name in ("logprobs", "token_ids") if whole.get(name)}
            found += [self.chunk(index, _numbered(rest), None, **beside), self.chunk(index, {}, finish_reason(call))]
        if self._asked.stream_options is not None and self._asked.stream_options.include_usage:
            found.append(as_event({**self._head, "choices": [], "usage": as_usage(prompt_tokens, calls)}))
        return [*found, b"data: [DONE]\n\n"]


def without_beginnings(text: str, stop: Sequence[str]) -> str:
    """What may be sent of an answer on its way: nothing from a stop sequence on, nor an end that may become one."""
    text = text_before(text, stop)
    begun = (size for word in stop for size in range(1, len(word)) if text.endswith(word[:size]))
    return text[: len(text) - max(begun, default=0)]


def _numbered(delta: dict[str, Any]) -> dict[str, Any]:
    """Add their index to tool calls, as streams require."""
    if "tool_calls" not in delta:
        return delta
    return {**delta, "tool_calls": [{"index": number, **call} for number, call in enumerate(delta["tool_calls"])]}
