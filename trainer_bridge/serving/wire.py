"""Requests and responses of OpenAI's chat completions, with token ids on request, as in vLLM."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hub_client.transport.chat_endpoint import stop_fault
from schemas.tool import is_tool_call
from trainer_bridge.rollout.chat import ModelCall
from trainer_bridge.rollout.decoding.requests import Generated

_WITHOUT_EFFECT = ("user", "store", "metadata", "service_tier", "safety_identifier", "prompt_cache_key")
_NEUTRAL: dict[str, tuple[Any, ...]] = {
    "presence_penalty": (0, None),
    "frequency_penalty": (0, None),
    "logit_bias": ({}, None),
    "top_logprobs": (0, None),
    "response_format": ({"type": "text"}, None),
    "parallel_tool_calls": (True, None),
    "modalities": (["text"], None),
    "functions": ([], None),
    "function_call": ("none", None),
}
"""Fields that are accepted only with these values, at which they change nothing."""


class RequestError(Exception):
    """A request is refused. The error has OpenAI's form."""

    def __init__(self, message: str, *, param: str = "", code: str = "", status: int = 400) -> None:
        super().__init__(message)
        self.status = status
        kind = "server_error" if status >= 500 else "invalid_request_error"
        self.body = {"error": {"message": message, "type": kind, "param": param or None, "code": code or None}}


class _Streaming(BaseModel):
    include_usage: bool = False


class _Function(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: str


class _Tool(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: Literal["function"] = "function"
    function: _Function


class ChatRequest(BaseModel):
    """The body of a request. Unknown fields are refused unless they change nothing, so that no setting is silently
    ignored.
    """

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)

    model: str
    messages: list[dict[str, Any]] = Field(min_length=1)
    tools: list[_Tool] | None = None
    tool_choice: Literal["auto", "none"] | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    n: int | None = Field(default=None, ge=1, le=128)
    stop: str | list[str] | None = None
    seed: int | None = None
    stream: bool | None = None
    stream_options: _Streaming | None = None
    logprobs: bool | None = None
    return_token_ids: bool | None = None
    """Adds ``prompt_token_ids``, and ``token_ids`` to each choice."""

    @classmethod
    def read(cls, body: bytes) -> Self:
        """Read a request. Raises :class:`RequestError`."""
        try:
            found = cls.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            message = f"{where}: {first['msg']}" if where else f"the body is no such request: {first['msg']}"
            raise RequestError(message, param=where) from None
        for name, value in (found.model_extra or {}).items():
            if name not in _WITHOUT_EFFECT and value not in _NEUTRAL.get(name, ()):
                known = "this server cannot do that" if name in _NEUTRAL else "unrecognized request argument"
                raise RequestError(f"{name}: {known}", param=name, code="unsupported_parameter")
        if fault := stop_fault(found.ends):
            raise RequestError(f"stop: {fault}", param="stop")
        for said in found.messages:
            if said.get("role") not in ("system", "developer", "user", "assistant", "tool"):
                raise RequestError(f"messages: there is no role {said.get('role')!r}", param="messages")
        return found

    @property
    def ends(self) -> tuple[str, ...]:
        """The stop sequences."""
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    @property
    def offered(self) -> list[dict[str, Any]]:
        """The tools that may be called."""
        return [] if self.tool_choice == "none" else [tool.model_dump(exclude_unset=True) for tool in self.tools or []]

    def conversation(self) -> list[dict[str, Any]]:
        """The messages for templates: lists of text parts are joined, and ``developer`` becomes ``system``."""
        return [_plain(message) for message in self.messages]


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    content, role = message.get("content"), message["role"]
    if isinstance(content, list):
        if any(not isinstance(part, dict) or part.get("type") != "text" for part in content):
            raise RequestError("messages: this model reads text only", param="messages")
        content = "".join(str(part.get("text", "")) for part in content)
    if content is not None and not isinstance(content, str):
        raise RequestError("messages: content is a string, or a list of parts", param="messages")
    if not all(is_tool_call(call) for call in message.get("tool_calls") or []):
        raise RequestError(
            "messages: a tool call is an object with function.name, as this server gave it", param="messages"
        )
    return {**message, "content": content, "role": "system" if role == "developer" else role}


Decode = Callable[[Sequence[int]], str]


def as_choice(index: int, call: ModelCall, request: ChatRequest, decode: Decode) -> dict[str, Any]:
    """One finished answer."""
    choice: dict[str, Any] = {
        "index": index,
        "message": {**call.message, "content": call.message["content"] or None, "refusal": None}
        if "tool_calls" in call.message
        else {**call.message, "refusal": None},
        "logprobs": {"content": as_logprobs(call.generated, 0, decode), "refusal": None} if request.logprobs else None,
        "finish_reason": finish_reason(call),
    }
    return {**choice, "token_ids": list(call.generated.tokens)} if request.return_token_ids else choice


def finish_reason(call: ModelCall) -> str:
    """Why the answer ended, in OpenAI's words."""
    if "tool_calls" in call.message:
        return "tool_calls"
    return "length" if call.generated.truncated else "stop"


def as_logprobs(generated: Generated, start: int, decode: Decode) -> list[dict[str, Any]]:
    """Each token from ``start`` on with its log-probability, including the end token, which was sampled too."""
    pairs = zip(generated.tokens[start:], generated.logprobs[start:], strict=True)
    return [
        {"token": (text := decode([token])), "logprob": logprob, "bytes": list(text.encode()), "top_logprobs": []}
        for token, logprob in pairs
    ]


def as_usage(prompt_tokens: int, calls: Sequence[ModelCall]) -> dict[str, int]:
    """Tokens read and written."""
    written = sum(len(call.generated.tokens) for call in calls)
    return {"prompt_tokens": prompt_tokens, "completion_tokens": written, "total_tokens": prompt_tokens + written}


def as_event(body: dict[str, Any]) -> bytes:
    """One event of a stream."""
    return f"data: {json.dumps(body)}\n\n".encode()
