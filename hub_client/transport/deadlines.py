"""A deadline for a whole exchange. httpx limits each read alone, so a server that sends byte by byte could block a
caller.
"""

import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

from hub_client.transport.pools import KEEP_SECONDS, LazyPool

Clock = Callable[[], float]


class Deadline:
    """``seconds`` from now. ``clock`` counts seconds, as :func:`time.monotonic` does."""

    def __init__(self, seconds: float, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """Seconds that are left. Raises :class:`httpx.ReadTimeout` when none is."""
        left = self._end - self._clock()
        if left <= 0:
            raise httpx.ReadTimeout("the whole answer took too long")
        return left

    @contextmanager
    def covering(self) -> Iterator[None]:
        """Inside this context, every read and write of this thread must end by the deadline.

        Leave it between two pieces of a body.
        """
        self.left()
        before = _DEADLINE.set(self)
        try:
            yield
        finally:
            _DEADLINE.reset(before)


_DEADLINE: ContextVar[Deadline | None] = ContextVar("verihub_deadline", default=None)


class DeadlineTransport(httpx.HTTPTransport):
    """HTTP over sockets whose every read and write also obeys the deadline that covers it."""

    def __init__(self, connections: int) -> None:
        # httpx offers no argument for the backend, and its constructor would read the certificates.
        self._pool = LazyPool(
            max_connections=connections,
            max_keepalive_connections=connections,
            keepalive_expiry=KEEP_SECONDS,
            retries=1,
            network_backend=_Backend(),
        )


class _Backend(httpcore.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(super().connect_tcp(host, port, _at_most(timeout), local_address, socket_options))


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _at_most(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _at_most(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _at_most(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _at_most(timeout: float | None) -> float | None:
    deadline = _DEADLINE.get()
    if deadline is None:
        return timeout
    return deadline.left() if timeout is None else min(timeout, deadline.left())
