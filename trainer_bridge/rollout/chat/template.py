"""A chat template that appends: what a model read and wrote stays as it was, and only new messages are rendered."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import TemplateError

Message = Mapping[str, Any]

_MARK = "\u2063verihub\u2063"
"""Stands for an answer that was already written. Invisible separators: no template and no text of a task holds it."""

_TOOLS = (
    "You may call functions. Their signatures, one JSON object a line:\n{signatures}\n"
    'To call one, answer with <tool_call>{{"name": NAME, "arguments": OBJECT}}</tool_call>.'
)


class ChatTemplate:
    """Messages to token ids, by the tokenizer's own template."""

    def __init__(self, tokenizer: Any, eos_ids: Sequence[int]) -> None:
        self._tokenizer, self._eos_ids = tokenizer, tuple(eos_ids)

    def begin(self, messages: Sequence[Message], tools: Sequence[Message] = ()) -> tuple[int, ...]:
        """A conversation from its beginning, ready for the assistant's turn."""
        text = self._text(messages, tools)
        if tools and text == self._text(messages, ()):  # this template does not know tools
            text = self._text(_with_tools_told(messages, tools), ())
        return self._ids(text)

    def go_on(self, written: Sequence[int], new: Sequence[Message]) -> tuple[int, ...] | None:
        """What comes after the answer ``written``: its end, if it has none, the ``new`` messages, the assistant's turn.

        The new messages are rendered behind a stand-in for the answer, and what the template puts before it is thrown
        away. So the tokens up to here never change, whatever the template does to older turns (some drop a model's
        reasoning). None where the template does not end an answer with one of the model's end tokens: then there is
        no such thing as appending to it.
        """
        stand_in = [{"role": "user", "content": "."}, {"role": "assistant", "content": _MARK}]
        try:
            _, found, after = self._text([*stand_in, *new], ()).rpartition(_MARK)
        except TemplateError:
            return None
        # An end token is a border that no other token spans, so the rest is tokenised as within the whole text.
        ids = self._ids(after) if found else ()
        if not ids or ids[0] not in self._eos_ids:
            return None
        return ids[1:] if written and written[-1] in self._eos_ids else ids

    def _text(self, messages: Sequence[Message], tools: Sequence[Message]) -> str:
        text: str = self._tokenizer.apply_chat_template(
            [_with_parsed_arguments(message) for message in messages],
            tools=[dict(tool) for tool in tools] or None,
            add_generation_prompt=True,
            tokenize=False,
        )
        return text

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])


def _with_parsed_arguments(message: Message) -> dict[str, Any]:
    """Templates write a call's arguments as JSON; those of the wire are JSON text already."""
    calls = [
        {**call, "function": {**call["function"], "arguments": _parsed(call["function"].get("arguments"))}}
        for call in message.get("tool_calls") or []
    ]
    return {**message, "content": message.get("content") or "", **({"tool_calls": calls} if calls else {})}


def _parsed(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _with_tools_told(messages: Sequence[Message], tools: Sequence[Message]) -> list[Message]:
    """The tools as words in the system message, for templates that would leave them out without a sound."""
    told = _TOOLS.format(signatures="\n".join(json.dumps(tool) for tool in tools))
    if messages and messages[0].get("role") == "system":
        return [{**messages[0], "content": f"{messages[0]['content']}\n\n{told}"}, *messages[1:]]
    return [{"role": "system", "content": told}, *messages]
