"""ETags: JSON answers carry the digest of their body. A reader that has it already gets 304."""

import hashlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


def has_already(known: str, tag: str) -> bool:
    """Whether a reader that sends ``known`` as If-None-Match has the bytes of ``tag``, which may be weak (RFC 9110)."""
    listed = [part.strip().removeprefix("W/") for part in known.split(",")]
    return tag.removeprefix("W/") in listed or listed == ["*"]


class JsonEtags:
    """Adds an ETag to answers of GET below ``/api`` that have status 200, are JSON in one piece, and set no ETag
    themselves.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match", "")
        held: Message | None = None

        async def send_tagged(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_taggable(message):
                held = message
                return
            if held is not None:
                start, held = held, None
                message = _tag(start, message, known)
                await send(start)
            await send(message)

        await self.app(scope, receive, send_tagged)


def _is_taggable(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return (
        start["status"] == 200
        and headers.get("content-type", "").startswith("application/json")
        and "etag" not in headers
    )


def _tag(start: Message, body: Message, known: str) -> Message:
    """Set the tag on ``start``; returns the body's message, emptied where the reader has it."""
    if body.get("more_body", False):
        return body
    headers = MutableHeaders(raw=start["headers"])
    tag = f'"{hashlib.sha256(body.get("body", b"")).hexdigest()[:32]}"'
    headers["ETag"] = tag
    headers.setdefault("Cache-Control", "no-cache")
    headers.add_vary_header("Authorization")
    headers.add_vary_header("Cookie")
    if has_already(known, tag):
        start["status"] = 304
        del headers["content-length"]
        body = {**body, "body": b""}
    start["headers"] = headers.raw
    return body
