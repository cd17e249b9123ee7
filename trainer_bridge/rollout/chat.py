"""Conversations as tokens: rendering, parsing, and finding the call that a conversation continues."""

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import LRUCache
from jinja2 import TemplateError

from hub_client.errors import PolicyError
from hub_client.transport.chat_endpoint import ContextOverflowError
from schemas.tool import parsed_arguments
from trainer_bridge.models.loaded_model import LoadedModel
from trainer_bridge.rollout.decoding.requests import Generated, GenerationRequest
from trainer_bridge.rollout.decoding.sampling import Sampling

Message = dict[str, Any]


@dataclass(frozen=True)
class ModelCall:
    """One model call: tokens in, tokens out, and the message that the harness got."""

    request: GenerationRequest
    generated: Generated
    message: Message

    @property
    def was_stopped(self) -> bool:
        """Whether a stop sequence ended it."""
        return self.request.stop is not None and self.request.stop.ends_after(self.generated.tokens) is not None


class Conversations:
    """Remembers the latest ``most`` calls by their messages, to find the call that a longer conversation continues."""

    def __init__(self, most: int = 4096) -> None:
        self._calls: LRUCache[str, ModelCall] = LRUCache(most)

    def remember(self, messages: Sequence[Message], tools: Sequence[Message], call: ModelCall) -> None:
        """Remember that ``call`` answered ``messages``.

        An answer that ended at a stop sequence is no beginning: its message lacks what its last tokens said.
        """
        if call.was_stopped:
            return
        self._calls[_keys([*messages, call.message], tools)[-1]] = call

    def find(self, messages: Sequence[Message], tools: Sequence[Message]) -> tuple[ModelCall | None, int]:
        """The longest remembered call that ``messages`` continue, and how many of the messages it covers."""
        keys = _keys(messages, tools)
        for covered in range(len(messages) - 1, 0, -1):  # at least one message must be new
            call = self._calls.get(keys[covered])
            if call is not None:
                return call, covered
        return None, 0


_READ = ("role", "content", "tool_calls", "name", "reasoning_content")
"""What templates read of a message. A harness that changes any of it has changed the conversation."""


def _keys(messages: Sequence[Message], tools: Sequence[Message]) -> list[str]:
    """A key for each prefix of the conversation: no message, the first one, the first two, and so on."""
    keys = [hashlib.sha256(json.dumps(list(tools), sort_keys=True, default=str).encode()).hexdigest()]
    for message in messages:
        said = json.dumps([message.get(name) or None for name in _READ], sort_keys=True)
        keys.append(hashlib.sha256(f"{keys[-1]}{said}".encode()).hexdigest())
    return keys


_MARK = "\u2063verihub\u2063"
"""A placeholder for an answer whose tokens are known. It has invisible separators, which no template or task
contains.
"""

_TOOLS = (
    "You may call functions. Their signatures, one JSON object a line:\n{signatures}\n"
    'To call one, answer with <tool_call>{{"name": NAME, "arguments": OBJECT}}</tool_call>.'
)


class UnfitMessagesError(PolicyError):
    """The model's chat template has no text for these messages: some want users and assistants in turn, say."""


_UNFIT = (TemplateError, TypeError, ValueError, LookupError, AttributeError, RecursionError)
"""A template's own refusal, and what it raises on messages of another shape. Those come from strangers: a harness, a
session, the model itself. They must end one rollout and not the run.
"""


_KNOWN_TOKENS = 1 << 18
"""Tokens of known texts that are kept: the prompts of 256 groups with 1,000 tokens each, some 10 MB."""


class ChatTemplate:
    """Messages to token ids, by the tokenizer's own template."""

    def __init__(self, tokenizer: Any, eos_ids: Sequence[int]) -> None:
        self._tokenizer, self._eos_ids = tokenizer, tuple(eos_ids)
        self._known: LRUCache[str, tuple[int, ...]] = LRUCache(_KNOWN_TOKENS, getsizeof=len)
        self._lock = Lock()

    def begin(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()) -> tuple[int, ...]:
        """The tokens of a conversation from its start, up to the assistant's turn."""
        text = self._text(messages, tools)
        if tools and text == self._text(messages, ()):  # the template ignores tools
            text = self._text(_with_tools_told(messages, tools), ())
        return self._ids(text)

    def go_on(self, written: Sequence[int], new: Sequence[Mapping[str, Any]]) -> tuple[int, ...] | None:
        """The tokens after the answer ``written``: its end token if it has none, the ``new`` messages, the assistant's
        turn.

        The new messages are rendered after a placeholder for the answer, and the text before it is dropped. So earlier
        tokens never change, although some templates change older turns, for example by removing a model's reasoning.
        Returns None if the template does not end an answer with one of the model's end tokens: then nothing can be
        appended.
        """
        stand_in = [{"role": "user", "content": "."}, {"role": "assistant", "content": _MARK}]
        try:
            _, found, after = self._text([*stand_in, *new], ()).rpartition(_MARK)
        except UnfitMessagesError:  # a template that refuses the stand-in cannot be continued from it
            return None
        # No token spans an end token, so the text after it has the same tokens alone as in the whole text.
        ids = self._ids(after) if found else ()
        if not ids or ids[0] not in self._eos_ids:
            return None
        return ids[1:] if written and written[-1] in self._eos_ids else ids

    def _text(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> str:
        if not messages:
            raise UnfitMessagesError("there is no message for the model to answer")
        try:
            text: str = self._tokenizer.apply_chat_template(
                [_with_parsed_arguments(message) for message in messages],
                tools=[dict(tool) for tool in tools] or None,
                add_generation_prompt=True,
                tokenize=False,
            )
        except _UNFIT as error:
            raise UnfitMessagesError(f"the model's chat template refuses these messages: {error}") from error
        return text

    def _ids(self, text: str) -> tuple[int, ...]:
        """Tokenized once for all samples of a group: it takes three times as long as rendering."""
        with self._lock:
            known = self._known.get(text)
        if known is not None:
            return known
        try:
            ids = tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        except _UNFIT as error:  # half a surrogate pair, which no encoding has
            raise UnfitMessagesError(f"the model's tokenizer refuses these messages: {error}") from error
        if len(ids) <= _KNOWN_TOKENS:
            with self._lock:
                self._known[text] = ids
        return ids


def _with_parsed_arguments(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message with parsed arguments of tool calls: templates encode them as JSON, but here they are JSON text
    already.
    """
    calls = [
        {**call, "function": {**call["function"], "arguments": parsed_arguments(call["function"].get("arguments"))}}
        for call in message.get("tool_calls") or []
    ]
    return {**message, "content": message.get("content") or "", **({"tool_calls": calls} if calls else {})}


def _with_tools_told(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Describe the tools in the system message, for templates that ignore tools."""
    told = _TOOLS.format(signatures="\n".join(json.dumps(tool) for tool in tools))
    if messages and messages[0].get("role") == "system":
        return [{**messages[0], "content": f"{messages[0].get('content') or ''}\n\n{told}"}, *messages[1:]]
    return [{"role": "system", "content": told}, *messages]


_TAGGED = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)  # Qwen, Hermes, SmolLM3
_PYTHON_TAG = "<|python_tag|>"  # Llama 3, before a call that stands alone


def as_message(text: str, *, has_tools: bool) -> dict[str, Any]:
    """The assistant's message. Tool calls are parsed only if tools were offered."""
    calls = [call for found in _TAGGED.findall(text) if (call := _call(found)) is not None] if has_tools else []
    if calls:
        return _message(_TAGGED.sub("", text).strip(), calls)
    alone = text.strip().removeprefix(_PYTHON_TAG).lstrip() if has_tools else ""
    call = _call(alone) if alone.startswith("{") else None
    return _message("", [call]) if call is not None else _message(text, [])


def as_written(message: Mapping[str, Any]) -> str:
    """The text that :func:`as_message` would parse to ``message``: its content, and its tool calls as tagged JSON."""
    calls = [call["function"] for call in message.get("tool_calls") or []]
    told = [
        json.dumps(
            {"name": call["name"], "arguments": parsed_arguments(call.get("arguments") or "{}")}, ensure_ascii=False
        )
        for call in calls
    ]
    content = str(message.get("content") or "")
    return "\n".join([*([content] if content else []), *(f"<tool_call>{one}</tool_call>" for one in told)])


def _message(content: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content}
    numbered = [{"id": f"call-{number}", "type": "function", "function": call} for number, call in enumerate(calls)]
    return {**message, "tool_calls": numbered} if calls else message


def _call(text: str) -> dict[str, Any] | None:
    try:
        said = json.loads(text)
        arguments = said["arguments"] if "arguments" in said else said.get("parameters", {})
        return {"name": str(said["name"]), "arguments": json.dumps(arguments)}
    except (ValueError, KeyError, TypeError, RecursionError):  # the model wrote no call: its text stays text
        return None


class StopWords:
    """Ends an answer at one of ``words``, which are looked for in its text: markers count as text, an end token not."""

    def __init__(
        self, words: Sequence[str], decode: Callable[[Sequence[int]], str], eos_ids: Sequence[int] = ()
    ) -> None:
        self.words = tuple(words)
        self._decode, self._eos_ids = decode, tuple(eos_ids)
        # A token is at least a byte. The few more keep what the tail begins with (half a character) out of a word.
        self._tail = max(len(word.encode()) for word in self.words) + 16

    def is_reached(self, tokens: Sequence[int]) -> bool:
        """See :class:`~trainer_bridge.rollout.decoding.requests.Stop`."""
        return self._holds_one(tokens[-self._tail :])

    def ends_after(self, tokens: Sequence[int]) -> int | None:
        """See :class:`~trainer_bridge.rollout.decoding.requests.Stop`."""
        if not self._holds_one(tokens):
            return None
        return bisect_left(range(len(tokens)), True, lo=1, key=lambda count: self._holds_one(tokens[:count]))

    def _holds_one(self, tokens: Sequence[int]) -> bool:
        text = self._decode(tokens[:-1] if tokens and tokens[-1] in self._eos_ids else tokens)
        return any(word in text for word in self.words)


def text_before(text: str, words: Sequence[str]) -> str:
    """The text up to the first of ``words``; all of it where it holds none."""
    return text[: min((place for word in words if (place := text.find(word)) >= 0), default=len(text))]


@dataclass(frozen=True)
class TokenLimits:
    """Limits in tokens: ``answer`` for each model call; ``sequence`` for prompt and answer together (0: the model's
    context).
    """

    answer: int
    sequence: int = 0


class ChatModel:
    """Converts messages to requests for the engine, and its answers to messages. It keeps no conversation itself."""

    def __init__(self, loaded: LoadedModel, name: str) -> None:
        self.name = name
        self._tokenizer: Any = loaded.tokenizer
        self._eos_ids = loaded.eos_ids
        self.template = ChatTemplate(loaded.tokenizer, loaded.eos_ids)
        self.context: int | None = getattr(loaded.model.config, "max_position_embeddings", None)

    def request_for(
        self,
        known: Conversations,
        messages: Sequence[Message],
        tools: Sequence[Message],
        *,
        sampling: Sampling,
        limits: TokenLimits,
        seed: int,
        stop: Sequence[str] = (),
    ) -> GenerationRequest:
        """The request for the next answer. It continues the tokens of an earlier call if there is one.

        The answer ends at any of ``stop``, which is no part of its message.

        Raises:
            ContextOverflowError: no token would fit.

        """
        before, covered = known.find(messages, tools)
        more = self.template.go_on(before.generated.tokens, messages[covered:]) if before is not None else None
        if before is not None and more is not None:
            prompt = (*before.request.prompt, *before.generated.tokens, *more)
        else:
            before, prompt = None, self.template.begin(messages, tools)
        room = min(limits.sequence or len(prompt) + limits.answer, self.context or len(prompt) + limits.answer)
        if len(prompt) >= room:
            raise ContextOverflowError(f"{len(prompt)} tokens do not fit into {self.name}'s context of {room}")
        limit = min(limits.answer, room - len(prompt))
        words = StopWords(stop, self._raw, self._eos_ids) if stop else None
        after = before.request if before is not None else None
        return GenerationRequest(prompt, limit, sampling, seed, after=after, stop=words)

    def call(self, request: GenerationRequest, generated: Generated, *, has_tools: bool) -> ModelCall:
        """The model call made of a request and its answer."""
        return ModelCall(request, generated, as_message(self.shown(request, generated.tokens), has_tools=has_tools))

    def shown(self, request: GenerationRequest, tokens: Sequence[int]) -> str:
        """The text of an answer, without the stop sequence that ended it."""
        text = self.text(tokens)
        if request.stop is None or request.stop.ends_after(tokens) is None:
            return text
        return text_before(text, request.stop.words)

    def _raw(self, tokens: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=False)
        return text

    def tokens(self, text: str) -> tuple[int, ...]:
        """The tokens of an answer, without its end."""
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def text(self, tokens: Sequence[int]) -> str:
        """The text of these tokens, without special tokens."""
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=True)
        return text
