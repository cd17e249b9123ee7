"""Token buckets a sender: reads, writes, and tries of passwords. In memory, so each process has its own."""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hub_server.settings import LimitSettings
from hub_server.web.problems import problem_response
from schemas.problem import Problem, ProblemCode

_KEPT_SENDERS = 50_000
_GUESSABLE = (
    "/login",
    "/signup",
    "/api/v1/login",
    "/api/v1/accounts",
    "/api/v1/account/password",
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
    """Answers 429 with Retry-After to a sender whose bucket is empty."""

    def __init__(self, app: ASGIApp, limits: LimitSettings) -> None:
        self.app = app
        self._reads = Buckets(limits.reads_per_second, limits.reads_burst)
        self._writes = Buckets(limits.writes_per_second, limits.writes_burst)
        self._logins = Buckets(limits.logins_per_second, limits.logins_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in ("/healthz", "/readyz"):
            await self.app(scope, receive, send)
            return
        wait = self._buckets_for(scope).take(sender_of(scope))
        if wait:
            await _refusal(scope, wait)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _buckets_for(self, scope: Scope) -> Buckets:
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            return self._reads
        return self._logins if scope["path"] in _GUESSABLE else self._writes


def sender_of(scope: Scope) -> str:
    """A label for who sends: the token's hash, else the address. Tries of passwords always count by address."""
    token = Headers(scope=scope).get("authorization")
    if token and scope["path"] not in _GUESSABLE:
        return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()[:16]
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def _refusal(scope: Scope, wait: float) -> ASGIApp:
    seconds = max(1, round(wait + 0.5))
    problem = Problem(
        type=f"/docs/errors#{ProblemCode.TOO_MANY_REQUESTS.value}",
        title="Too many requests",
        status=429,
        code=ProblemCode.TOO_MANY_REQUESTS.value,
        detail=f"Too many requests: wait {seconds} s.",
        instance=str(scope["state"]["request_id"]),
    )
    return problem_response(Request(scope), problem, {"Retry-After": str(seconds)})
