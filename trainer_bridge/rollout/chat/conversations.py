"""Which earlier call a conversation continues."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trainer_bridge.rollout.decoding.requests import Ask, Written

Message = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One call of the model: tokens in, tokens out, and the message that the harness was given."""

    ask: Ask
    written: Written
    message: Message


class Conversations:
    """Remembers the newest ``most`` calls by what was said, to find the one that a longer conversation continues."""

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._calls: OrderedDict[str, Call] = OrderedDict()

    def remember(self, messages: Sequence[Message], tools: Sequence[Message], call: Call) -> None:
        """``call`` was the answer to ``messages``."""
        self._calls[_keys([*messages, call.message], tools)[-1]] = call
        if len(self._calls) > self._most:
            self._calls.popitem(last=False)

    def find(self, messages: Sequence[Message], tools: Sequence[Message]) -> tuple[Call | None, int]:
        """The longest remembered call that ``messages`` go on from, and how many of the messages it covers."""
        keys = _keys(messages, tools)
        for covered in range(len(messages) - 1, 0, -1):  # at least one new message: else there is nothing to answer
            call = self._calls.get(keys[covered])
            if call is not None:
                return call, covered
        return None, 0


def _keys(messages: Sequence[Message], tools: Sequence[Message]) -> list[str]:
    """A key for each beginning of the conversation: of no message, of the first, and so on."""
    keys = [hashlib.sha256(json.dumps(list(tools), sort_keys=True, default=str).encode()).hexdigest()]
    for message in messages:
        said = json.dumps([message.get(name) or None for name in ("role", "content", "tool_calls")], sort_keys=True)
        keys.append(hashlib.sha256(f"{keys[-1]}{said}".encode()).hexdigest())
    return keys
