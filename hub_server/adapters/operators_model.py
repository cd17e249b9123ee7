"""The hub's judge model: one model of an OpenAI-compatible server, which the operator names."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandbox.models.port import ModelAnswer, ModelRefusedError, ModelSilentError

_CONNECT_SECONDS = 10.0  # chosen, not measured
_MOST_BYTES = 4 << 20  # chosen, not measured
_TRIES = 4  # chosen, not measured


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    content: str


class _Choice(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)


class _Completion(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class OperatorsModel:
    """``url`` ends before ``/chat/completions``. A busy server (429, 5xx) is asked again, after 1, 2 and 4 seconds.

    What a package or a page is told names neither the server's address nor what it said: both are the operator's.
    """

    def __init__(
        self,
        url: str,
        name: str,
        key: str = "",
        *,
        timeout_seconds: float = 120.0,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.address = url.rstrip("/")
        self._path = f"{self.address}/chat/completions"
        self._pause = pause
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {key.strip()}"} if key else {},
            timeout=httpx.Timeout(timeout_seconds, connect=_CONNECT_SECONDS),
            transport=transport,
        )

    def complete(self, messages: Sequence[dict[str, str]], *, max_tokens: int, seed: int) -> ModelAnswer:
        """See :class:`~sandbox.models.port.JudgeModel`."""
        body = {
            "model": self.name,
            "messages": list(messages),
            "max_tokens": max_tokens,
            "seed": seed,
            "temperature": 0,
        }
        status, said = self._post(body)
        for attempt in range(_TRIES - 1):
            if status != 429 and status < 500:
                break
            self._pause(2.0**attempt)
            status, said = self._post(body)
        if status >= 300:
            raise ModelRefusedError(f"{self.name} refuses the question ({status})")
        try:
            answer = _Completion.model_validate_json(said)
        except ValidationError:
            raise ModelSilentError(f"{self.name} gives an answer that is not a chat completion") from None
        choice, usage = answer.choices[0], answer.usage or _Usage()
        return ModelAnswer(
            choice.message.content, choice.finish_reason == "length", usage.prompt_tokens, usage.completion_tokens
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _post(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and at most ``_MOST_BYTES`` of the body of one try."""
        said = bytearray()
        try:
            with self._client.stream("POST", self._path, json=body) as response:
                for piece in response.iter_bytes():
                    said += piece
                    if len(said) > _MOST_BYTES:
                        raise ModelSilentError(f"the answer of {self.name} is too long")
                return response.status_code, bytes(said)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise ModelSilentError(f"{self.name} does not answer ({type(error).__name__})") from None
