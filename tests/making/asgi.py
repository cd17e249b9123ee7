"""One request to an ASGI application, without a server or a hub around it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message


@dataclass
class Sent:
    """What an application sent. ``messages`` are the raw ones."""

    messages: list[Message] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The answer's status; 0 without an answer."""
        return next((m["status"] for m in self.messages if m["type"] == "http.response.start"), 0)

    @property
    def headers(self) -> dict[str, str]:
        """The answer's headers by lower-case name."""
        start = next(m for m in self.messages if m["type"] == "http.response.start")
        return {name.decode().lower(): value.decode() for name, value in start["headers"]}

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(m.get("body", b"") for m in self.messages if m["type"] == "http.response.body")


def ask(
    app: ASGIApp,
    path: str = "/",
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: list[bytes] | None = None,
    kind: str = "http",
    hangs_up: bool = False,
    **more: Any,
) -> Sent:
    """Send one request whose body comes in the pieces of ``body``; ``more`` goes into the scope.

    ``hangs_up``: the connection ends after the pieces, and the body is not whole.
    """
    sent, pieces = Sent(), list(body or [b""])
    scope = {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in (headers or {}).items()],
        "scheme": "http",
        "server": ("hub.test", 80),
        "state": {"request_id": "request-1"},
        **more,
    }

    async def receive() -> Message:
        if not pieces:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces) or hangs_up}

    async def send(message: Message) -> None:
        sent.messages.append(message)

    asyncio.run(app(scope, receive, send))
    return sent
