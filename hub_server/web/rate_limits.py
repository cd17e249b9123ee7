"""Rate limits of each sender: reads, writes, and attempts at passwords.

Counted in the memory of this process, or in the database for all serving processes of the hub together.
"""

import logging
from collections.abc import Callable
from typing import Protocol

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hub_server.database.engine import Database
from hub_server.errors import TooManyRequestsError
from hub_server.settings import LimitSettings
from hub_server.web.buckets import Buckets
from hub_server.web.hosts import PROBE_PATHS
from hub_server.web.problems import json_problem, problem_of, refuse
from hub_server.web.senders import Sender, Senders, anonymous_sender, credentials_of
from hub_server.web.shared_buckets import SharedBuckets

_log = logging.getLogger("hub_server.limits")
_GUESSABLE = (
    "/login",
    "/signup",
    "/api/v1/login",
    "/api/v1/accounts",
    "/api/v1/account/password",
    "/api/v1/sudo",
    "/account/password",
    "/account/proof",
    "/api/v1/account/recovery",
    "/api/v1/account/recovery/password",
    "/api/v1/account/email/link",
    "/api/v1/account/email/confirmation",
    "/account/recovery",
    "/account/recovery/password",
    "/account/email/link",
    "/account/email/confirmation",
    "/login/code",
    "/api/v1/account/second-factor",
    "/api/v1/account/second-factor/off",
    "/account/second-factor/enable",
    "/account/second-factor/disable",
    "/device",
    "/api/v1/device/code",
    "/api/v1/trusted-publishing/token",
)
PROOF_QUERY = "proof"
"""The query of an act's address to which the password is sent with the form of the act."""


def may_guess(scope: Scope) -> bool:
    """Whether a request is counted as an attempt at a password. A password that comes with any other is not read."""
    is_proof = scope.get("method") == "POST" and scope["query_string"] == PROOF_QUERY.encode()
    return is_proof or scope["path"] in _GUESSABLE


class _Counted(Protocol):
    """Buckets, wherever they are."""

    async def take(self, sender: str) -> float: ...


class _InMemory:
    """Buckets of this process alone."""

    def __init__(self, rate: float, burst: int) -> None:
        self._buckets = Buckets(rate, burst)

    async def take(self, sender: str) -> float:
        return self._buckets.take(sender)


class RateLimits:
    """Answers 429 with Retry-After to a sender whose bucket is empty, and notes the sender in the request's state."""

    def __init__(
        self,
        app: ASGIApp,
        limits: LimitSettings,
        database: Database,
        *,
        has_named_proxies: bool = False,
        is_uncounted: Callable[[Scope], bool] = lambda _: False,
    ) -> None:
        self.app = app
        self._is_uncounted = is_uncounted
        self._looks_for_proxies = not has_named_proxies
        is_shared = limits.shared if limits.shared is not None else not database.is_sqlite

        def make(name: str, rate: float, burst: int) -> _Counted:
            return SharedBuckets(name, rate, burst, database) if is_shared else _InMemory(rate, burst)

        self._senders = Senders()
        self._reads = make("reads", limits.reads_per_second, limits.reads_burst)
        self._writes = make("writes", limits.writes_per_second, limits.writes_burst)
        self._logins = make("logins", limits.logins_per_second, limits.logins_burst)
        self._lookups = make("lookups", limits.writes_per_second, limits.writes_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] in PROBE_PATHS or self._is_uncounted(scope):
            await self.app(scope, receive, send)
            return
        if self._looks_for_proxies:
            self._warn_of_proxy(scope)
        sender, wait = await self._find_sender(scope)
        wait = wait or await self._buckets_for(scope).take(sender.key)
        if wait:
            await _refuse(scope, receive, send, wait)
            return
        scope.setdefault("state", {})["sender"] = sender
        await self.app(scope, receive, send)

    def _warn_of_proxy(self, scope: Scope) -> None:
        """Say once where requests seem to come through a proxy that is not named: its readers count as one."""
        if any(name == b"x-forwarded-for" for name, _ in scope["headers"]):
            self._looks_for_proxies = False
            _log.warning(
                "a request brought X-Forwarded-For: if a proxy of yours is in front of this hub, name it in "
                "VERIHUB_SERVER_TRUSTED_PROXIES. Until then all who come through it share one limit, and one of them "
                "can use up everybody's tries at a password"
            )

    async def _find_sender(self, scope: Scope) -> tuple[Sender, float]:
        """The sender, and seconds to wait where its address has tried too many unknown credentials.

        Attempts at a password always count by address.
        """
        anonymous, credentials = anonymous_sender(scope), credentials_of(scope)
        if credentials is None or may_guess(scope):
            return anonymous, 0.0
        known = self._senders.recall(credentials)
        if known is not None:
            return known, 0.0
        wait = await self._lookups.take(anonymous.key)
        if wait:
            return anonymous, wait
        return await self._senders.look_up(HTTPConnection(scope), credentials) or anonymous, 0.0

    def _buckets_for(self, scope: Scope) -> _Counted:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return self._reads
        return self._logins if may_guess(scope) else self._writes


async def _refuse(scope: Scope, receive: Receive, send: Send, wait: float) -> None:
    seconds = max(1, round(wait + 0.5))
    refusal = TooManyRequestsError(f"Too many requests: wait {seconds} s.", retry_after_seconds=seconds)
    if scope["type"] == "http":
        await refuse(Request(scope), refusal)(scope, receive, send)
    elif "websocket.http.response" in scope.get("extensions", {}):
        problem = problem_of(refusal, str(scope["state"]["request_id"]))
        await json_problem(problem, {"Retry-After": str(seconds)})(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1013, "reason": refusal.detail})  # try again later
