"""Token buckets for each sender: reads, writes, and attempts at passwords. In memory, so each process has its own."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hub_server.settings import LimitSettings
from hub_server.web.problems import json_problem, problem_response
from hub_server.web.senders import Sender, Senders, anonymous_sender, credentials_of
from schemas.problem import Problem, ProblemCode

_KEPT_SENDERS = 50_000
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
)


@dataclass
class _Bucket:
    level: float
    filled_at: float


class Buckets:
    """``rate`` tokens a second up to ``burst``; one request takes one."""

    def __init__(self, rate: float, burst: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._monotonic = monotonic
        # Not cachetools' LRUCache: a request that is refused would cost 9 microseconds here instead of 5.
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, sender: str) -> float:
        """Take one token. Returns 0, or the seconds until there is one (then nothing was taken)."""
        now = self._monotonic()
        with self._lock:
            bucket = self._buckets.setdefault(sender, _Bucket(self._burst, now))
            self._buckets.move_to_end(sender)
            bucket.level = min(self._burst, bucket.level + (now - bucket.filled_at) * self._rate)
            bucket.filled_at = now
            while len(self._buckets) > _KEPT_SENDERS:
                self._buckets.popitem(last=False)
            if bucket.level < 1:
                return (1 - bucket.level) / self._rate
            bucket.level -= 1
            return 0.0


class RateLimits:
    """Answers 429 with Retry-After to a sender whose bucket is empty, and notes the sender in the request's state."""

    def __init__(self, app: ASGIApp, limits: LimitSettings) -> None:
        self.app = app
        self._senders = Senders()
        self._reads = Buckets(limits.reads_per_second, limits.reads_burst)
        self._writes = Buckets(limits.writes_per_second, limits.writes_burst)
        self._logins = Buckets(limits.logins_per_second, limits.logins_burst)
        self._lookups = Buckets(limits.writes_per_second, limits.writes_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] in ("/healthz", "/readyz"):
            await self.app(scope, receive, send)
            return
        sender, wait = await self._find_sender(scope)
        wait = wait or self._buckets_for(scope).take(sender.key)
        if wait:
            await _refuse(scope, receive, send, wait)
            return
        scope.setdefault("state", {})["sender"] = sender
        await self.app(scope, receive, send)

    async def _find_sender(self, scope: Scope) -> tuple[Sender, float]:
        """The sender, and seconds to wait where its address has tried too many unknown credentials.

        Attempts at a password always count by address.
        """
        anonymous, credentials = anonymous_sender(scope), credentials_of(scope)
        if credentials is None or scope["path"] in _GUESSABLE:
            return anonymous, 0.0
        known = self._senders.recall(credentials)
        if known is not None:
            return known, 0.0
        wait = self._lookups.take(anonymous.key)
        if wait:
            return anonymous, wait
        return await self._senders.look_up(HTTPConnection(scope), credentials) or anonymous, 0.0

    def _buckets_for(self, scope: Scope) -> Buckets:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return self._reads
        return self._logins if scope["path"] in _GUESSABLE else self._writes


async def _refuse(scope: Scope, receive: Receive, send: Send, wait: float) -> None:
    seconds = max(1, round(wait + 0.5))
    headers = {"Retry-After": str(seconds)}
    problem = Problem(
        type=f"/docs/errors#{ProblemCode.TOO_MANY_REQUESTS.value}",
        title="Too many requests",
        status=429,
        code=ProblemCode.TOO_MANY_REQUESTS.value,
        detail=f"Too many requests: wait {seconds} s.",
        instance=str(scope["state"]["request_id"]),
    )
    if scope["type"] == "http":
        await problem_response(Request(scope), problem, headers)(scope, receive, send)
    elif "websocket.http.response" in scope.get("extensions", {}):
        await json_problem(problem, headers)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1013, "reason": problem.detail})  # try again later
