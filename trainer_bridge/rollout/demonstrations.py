"""Reads conversations for supervised steps from a file, and converts them to the tokens of a rollout."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from trainer_bridge.errors import SettingsError
from trainer_bridge.rollout.chat import ChatModel, Message, as_written
from trainer_bridge.rollout.rollouts import TokenCall, TokenSequence, merge


@dataclass(frozen=True)
class Demonstration:
    """One conversation. The assistant's messages are trained on; the others are only read."""

    messages: Sequence[Message]
    tools: Sequence[Message] = ()


def read_demonstrations(path: Path) -> list[Demonstration]:
    """Read a JSONL file. Each line has ``messages`` as in a chat request, and optionally ``tools``.

    Other keys are ignored, so a filtered ``attempts.jsonl`` of ``verihub eval`` can be used.

    Raises:
        SettingsError: the file cannot be read, or a line is no conversation with an assistant's message.

    """
    try:
        lines = _bytes_of(path).decode().split("\n")  # splitlines() would cut inside a string that holds U+2028
    except UnicodeDecodeError as error:
        raise SettingsError(f"demonstrations: {path} is no UTF-8 text: {error}") from None
    found = [_read(f"{path}:{number}", line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise SettingsError(f"demonstrations: {path} holds no conversation")
    return found


def _read(where: str, line: str) -> Demonstration:
    try:
        row = json.loads(line)
        messages, tools = row["messages"], row.get("tools") or []
        is_chat = all(isinstance(message["role"], str) for message in messages) and isinstance(tools, list)
    except (ValueError, KeyError, TypeError, AttributeError):
        is_chat, messages, tools = False, [], []
    if not is_chat or not any(message["role"] == "assistant" for message in messages[1:]):
        raise SettingsError(
            f"demonstrations: {where} must be a JSON object with 'messages', a list of chat messages of which one, not "
            "the first, is the assistant's"
        )
    return Demonstration(messages, tools)


def as_sequences(shown: Demonstration, model: ChatModel, end: int) -> tuple[TokenSequence, ...]:
    """The token sequences of a rollout with these messages. ``end``: the token that ends an answer."""
    calls: list[TokenCall] = []
    covered = 0
    for number, message in enumerate(shown.messages):
        if message["role"] != "assistant" or not number:
            continue
        more = model.template.go_on(calls[-1].tokens, shown.messages[covered:number]) if calls else None
        if more is not None:
            prompt = (*calls[-1].prompt, *calls[-1].tokens, *more)
        else:
            prompt = model.template.begin(shown.messages[:number], shown.tools)
        tokens = (*model.tokens(as_written(message)), end)
        calls.append(TokenCall(prompt, tokens, (0.0,) * len(tokens)))
        covered = number + 1
    return merge(calls)


def digest_of(path: Path | None) -> str | None:
    """SHA-256 of a file of demonstrations. A resumed run must use the same file."""
    return None if path is None else hashlib.sha256(_bytes_of(path)).hexdigest()


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"demonstrations: {path} cannot be read: {error.strerror}") from None


class Shuffled:
    """Draws from a list without end: each entry once in an epoch, in an order that depends on ``seed`` and the
    epoch.
    """

    def __init__(self, entries: Sequence[Any], seed: int, drawn: int = 0) -> None:
        self._entries, self._seed, self._drawn = entries, seed, drawn

    def draw(self, count: int) -> list[Any]:
        """The next ``count`` entries."""
        places = range(self._drawn, self._drawn + count)
        self._drawn += count
        orders: Mapping[int, list[Any]] = {epoch: self._order(epoch) for epoch in {self._epoch(one) for one in places}}
        return [orders[self._epoch(place)][place % len(self._entries)] for place in places]

    def _epoch(self, place: int) -> int:
        return place // len(self._entries)

    def _order(self, epoch: int) -> list[Any]:
        return Random(f"{self._seed}:{epoch}").sample(self._entries, len(self._entries))  # noqa: S311 -- no secret
