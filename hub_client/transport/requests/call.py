"""ApiCall: one request to the hub as a value, and how its answer is read. No I/O happens here."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from schemas.base import WireModel
from schemas.problem import Problem

Answer = TypeVar("Answer")

API = "/api/v1"
Param = str | int | Sequence[str]
_IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE"})  # RFC 9110, 9.2.2


@dataclass(frozen=True)
class ApiCall(Generic[Answer]):
    """``path`` is below the hub's URL. ``read`` turns the parsed JSON of a success into the answer.

    ``is_harmless_twice``: a write that may be sent again although it has no Idempotency-Key.
    """

    method: str
    path: str
    read: Callable[[Any], Answer]
    params: Mapping[str, Param] = field(default_factory=dict)
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_harmless_twice: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Whether sending it twice has the same effect as sending it once."""
        return self.is_harmless_twice or self.method in _IDEMPOTENT or "Idempotency-Key" in self.headers

    @classmethod
    def get(cls, path: str, read: Callable[[Any], Answer], **params: Param | None) -> "ApiCall[Answer]":
        """A read; parameters that are None are left out, and one with several values is sent once for each."""
        return cls("GET", API + path, read, {name: value for name, value in params.items() if value is not None})

    @classmethod
    def send(
        cls, method: str, path: str, read: Callable[[Any], Answer], body: WireModel | dict[str, Any] | None = None
    ) -> "ApiCall[Answer]":
        """A write with a JSON body."""
        data = body.model_dump(mode="json", exclude_none=True) if isinstance(body, WireModel) else body
        content = None if data is None else json.dumps(data, allow_nan=False).encode()
        headers = {} if content is None else {"Content-Type": "application/json"}
        return cls(method, API + path, read, content=content, headers=headers)


def nothing(_: Any) -> None:
    """Reads an answer without content."""


def problem_of(status: int, body: bytes) -> Problem:
    """The refusal in ``body``. A body that is not a problem document (such as a proxy's page) gives a generic one."""
    try:
        return Problem.read(json.loads(body))
    except (ValueError, RecursionError):
        text = body[:200].decode("utf-8", "replace").strip()
        return Problem(
            title=f"the hub answered {status}", status=status, code=_code_of(status), detail=_plain(status, text)
        )


def _code_of(status: int) -> str:
    by_status = {401: "not_authenticated", 403: "not_allowed", 404: "page_not_found", 413: "too_large"}
    return by_status.get(status, "too_many_requests" if status == 429 else "internal" if status >= 500 else "unknown")


def _plain(status: int, text: str) -> str:
    looks_like_page = text.startswith("<")
    return f"the hub answered {status}" + ("" if looks_like_page or not text else f": {text}")
