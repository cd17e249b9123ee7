"""What applies to every request: an id, security headers, and a 500 answer for bugs."""

import logging
import re
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub_server.errors import HubServerError
from hub_server.web.hosts import PROBE_PATHS
from hub_server.web.metrics import RequestMetrics
from hub_server.web.problems import refuse
from hub_server.web.security_headers import set_security_headers

_log = logging.getLogger("hub_server")
_requests = logging.getLogger("hub_server.requests")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_HUNG_UP = 499
"""What logs and metrics say of a request whose sender hung up before an answer; other servers use this number too."""


class RequestIds:
    """Gives each request an id (the caller's own, if it is sound) and its answer the security headers; counts it."""

    def __init__(self, app: ASGIApp, metrics: RequestMetrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        identifier = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = identifier
        started = time.perf_counter()
        status = _HUNG_UP

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = identifier
                set_security_headers(headers, is_tls=scope.get("scheme") == "https")
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            if scope["type"] == "http":
                seconds = time.perf_counter() - started
                self.metrics.count(scope, status, seconds)
                _log_request(scope, status, seconds, identifier)


_UNLOGGED = (*PROBE_PATHS, "/static/")
"""Paths that monitoring and browsers request often; they are not logged."""
_PATH_LETTERS = 300  # chosen, not measured: of a path that may be as long as a stranger likes


def _log_request(scope: Scope, status: int, seconds: float, identifier: str) -> None:
    """One line. The path as it was sent (a line break in it stays ``%0A``), and never its query."""
    if scope["path"].startswith(_UNLOGGED):
        return
    sent = scope.get("raw_path") or scope["path"].encode()
    path = sent.partition(b"?")[0].decode("ascii", "backslashreplace")[:_PATH_LETTERS]
    fields = {"method": scope["method"], "path": path, "status": status, "ms": round(seconds * 1000, 1)}
    _requests.info(
        "%(method)s %(path)s %(status)s in %(ms)s ms", fields, extra={"fields": {**fields, "request_id": identifier}}
    )


class HeadRequests:
    """Answers HEAD as GET without the body. Readers ask for a size or a date by HEAD, and our routes have GET only."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                if message.get("more_body", False):
                    return
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        headers = [(name, value) for name, value in scope["headers"] if name != b"range"]  # it is GET's alone
        await self.app({**scope, "method": "GET", "headers": headers}, receive, send_head)


class LastResort:
    """Answers 500 for exceptions that nothing else handled.

    They are logged with the request's id; no detail is sent.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        has_begun = False

        async def watching_send(message: Message) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watching_send)
        except ClientDisconnect:
            return  # the sender closed the connection in the middle of its body, so no answer can be sent
        except Exception:
            identifier = scope["state"]["request_id"]
            _log.exception("bug in request %s: %s %s", identifier, scope["method"], scope["path"])
            if has_begun:
                raise  # the answer is cut off, which the client sees
            told = "This is a fault of the hub, not of the request. Its operator finds it in the log as"
            await refuse(Request(scope), HubServerError(f"{told} {identifier}."))(scope, receive, send)
