"""One task: what the model is asked, and what only the verifier may see."""

import hashlib
import json
from typing import Any

from pydantic import Field
from pydantic_core import to_json

from schemas.base import WireModel

JsonValue = Any


class Message(WireModel):
    """One chat message. ``role``: system, user, assistant or tool."""

    role: str
    content: str | list[dict[str, JsonValue]] | None = None
    name: str | None = None
    tool_calls: list[dict[str, JsonValue]] | None = None
    tool_call_id: str | None = None


class Task(WireModel):
    """One row of an environment. ``answer`` and ``info`` never reach the model."""

    id: str = Field(min_length=1, max_length=200)
    prompt: str | list[Message]
    answer: JsonValue = None
    info: dict[str, JsonValue] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)
    split: str = "train"

    @property
    def key(self) -> str:
        """A key that never changes: SHA-256 (hexadecimal) of the canonical JSON of the whole task."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json"))).hexdigest()

    @property
    def content_key(self) -> str:
        """SHA-256 (hexadecimal) of prompt and answer: the same question has the same key, whatever its id, split or
        tags.
        """
        return hashlib.sha256(canonical_json({"prompt": self.messages(), "answer": self.answer})).hexdigest()

    def public(self) -> "Task":
        """The task as the model's side may see it: without ``answer`` and ``info``."""
        return self.model_copy(update={"answer": None, "info": {}})

    def to_line(self, *, with_answer: bool) -> bytes:
        """The task as a line of JSON, newline included; without its answer it is as :meth:`public` has it.

        No copy of the model is made for that, which would take five times as long.
        """
        if with_answer:
            return self.__pydantic_serializer__.to_json(self) + b"\n"
        return to_json({**vars(self), "answer": None, "info": {}}) + b"\n"

    def messages(self) -> list[dict[str, JsonValue]]:
        """The prompt as chat messages (a plain string becomes one user message)."""
        if isinstance(self.prompt, str):
            return [{"role": "user", "content": self.prompt}]
        return [message.model_dump(mode="json", exclude_none=True) for message in self.prompt]


def canonical_json(value: JsonValue) -> bytes:
    """JSON with sorted keys, no spaces, UTF-8, no NaN: the bytes from which digests and keys are computed."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()
