"""What surrounds every request: an id, security headers, a last resort for bugs."""

import logging
import re
import secrets
import time
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub_server.web.metrics import RequestMetrics
from hub_server.web.problems import problem_response
from schemas.problem import Problem, ProblemCode

_log = logging.getLogger("hub_server")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_SECURITY_HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class RequestIds:
    """Gives each request an id (the caller's own, if it is sound) and counts and times its answer."""

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
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = identifier
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            if scope["type"] == "http":
                self.metrics.count(scope, status, time.perf_counter() - started)


class LastResort:
    """What nothing else handled is a bug: 500, logged with the request's id, no detail sent."""

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
        except Exception:
            identifier = scope["state"]["request_id"]
            _log.exception("bug in request %s: %s %s", identifier, scope["method"], scope["path"])
            if has_begun:
                raise  # the answer is cut off, which the client sees
            await problem_response(Request(scope), _bug(identifier))(scope, receive, send)


def _bug(identifier: Any) -> Problem:
    return Problem(
        type=f"/docs/errors#{ProblemCode.INTERNAL.value}",
        title="The hub failed",
        status=500,
        code=ProblemCode.INTERNAL.value,
        detail=f"This is a fault of the hub, not of the request. Its operator finds it in the log as {identifier}.",
        instance=str(identifier),
    )
