"""The only module that speaks HTTP to a hub: sends calls, streams lines and bytes, and translates every failure."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx

from hub_client.transport.answer_bodies import (
    ERROR_BYTES,
    JSON_BYTES,
    beginning,
    beginning_async,
    bounded,
    bounded_async,
    split_lines,
    split_lines_async,
)
from hub_client.transport.deadlines import Deadline, DeadlineTransport
from hub_client.transport.hub_address import HubAddress, parse_line, read_answer
from hub_client.transport.pools import LazyAsyncTransport
from hub_client.transport.requests.call import ApiCall, Param
from hub_client.transport.retries import Retries
from schemas.wheels.archive import MOST_WHEEL_BYTES

Answer = TypeVar("Answer")
Item = TypeVar("Item")
Transport = httpx.BaseTransport
AsyncTransport = httpx.AsyncBaseTransport

_SLOWEST_BYTES_A_SECOND = 64 * 2**10  # chosen: half a megabit; a slower line counts as hung
STREAM_SECONDS = 3600.0
"""How long a stream of lines may take altogether, where its caller does not know better."""


def _seconds(timeout_seconds: float, size_bytes: int) -> float:
    """Seconds that an exchange may take in total: the timeout, plus time for ``size_bytes`` over a slow line."""
    return timeout_seconds + size_bytes / _SLOWEST_BYTES_A_SECOND


@dataclass(frozen=True)
class _Request:
    """What is sent. ``is_repeatable``: sending it twice has the same effect as sending it once."""

    method: str
    path: str
    params: Mapping[str, Param] = field(default_factory=dict)
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_repeatable: bool = True

    @classmethod
    def of(cls, call: ApiCall[Any]) -> "_Request":
        return cls(call.method, call.path, call.params, call.content, call.headers, call.is_repeatable)

    @property
    def options(self) -> dict[str, Any]:
        return {"params": dict(self.params), "content": self.content, "headers": dict(self.headers)}


class HubConnection:
    """A hub over HTTP, blocking. Thread-safe; at most ``connections`` requests are in flight, more wait.

    A request that may be repeated is sent again when the hub is busy and says for how long (``transport.retries``).
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout_seconds: float = 60.0,
        connections: int = 16,
        transport: Transport | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._sleep = sleep
        self.has_token = token is not None
        """Whether the hub is told who asks."""
        self._address = HubAddress(url, token, timeout_seconds)
        self._slots = threading.BoundedSemaphore(connections)
        self._client = httpx.Client(
            transport=transport or DeadlineTransport(connections),
            event_hooks={"response": [self._address.refuse_plain]},
            **self._address.options,
        )

    def send(self, call: ApiCall[Answer]) -> Answer:
        """Send one call and read its answer. Raises one of :mod:`hub_client.errors`."""
        seconds = _seconds(self.timeout_seconds, len(call.content or b""))
        with self._open(_Request.of(call), seconds) as (_, pieces), self._address.our_errors():
            body = b"".join(bounded(pieces, "the answer", JSON_BYTES))
        return read_answer(self._address.url, call, body)

    def hub_time(self) -> datetime | None:
        """The hub's clock, from the date of its answers, to the second. None when they have no date."""
        with self._open(_Request("GET", "/healthz"), self.timeout_seconds) as (response, _):
            said = response.headers.get("Date")
        try:
            return parsedate_to_datetime(said) if said else None
        except ValueError:  # a proxy may write anything
            return None

    @contextmanager
    def download(self, path: str, size_bytes: int = MOST_WHEEL_BYTES) -> Iterator[Iterator[bytes]]:
        """The body of ``path`` in pieces; raises when it is longer than ``size_bytes``."""
        limit = min(size_bytes, MOST_WHEEL_BYTES)
        request = _Request("GET", path, headers={"Accept": "*/*"})
        with self._open(request, _seconds(self.timeout_seconds, limit)) as (_, pieces):
            yield self._translated(bounded(pieces, "the file", limit))

    @contextmanager
    def lines(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Param] | None = None,
        content: bytes | None = None,
        seconds: float = STREAM_SECONDS,
    ) -> Iterator[Iterator[dict[str, Any]]]:
        """An NDJSON answer, one object at a time; all of it within ``seconds``. Such requests change nothing on the
        hub.
        """
        request = _Request(method, path, params or {}, content, self._address.stream_headers(content))
        with self._open(request, seconds) as (_, pieces):
            yield (parse_line(self._address.url, line) for line in self._translated(split_lines(pieces)))

    @contextmanager
    def _open(self, request: _Request, seconds: float) -> Iterator[tuple[httpx.Response, Iterator[bytes]]]:
        """An answer with checked headers, and its body, which must be read within ``seconds``. Refusals are raised."""
        retries = Retries(self.timeout_seconds, is_repeatable=request.is_repeatable)
        with self._slots:  # Kept during a pause: a busy hub then gets fewer requests at a time, not more.
            while True:
                with self._exchange(request, seconds) as (response, pieces):
                    if response.status_code < 400:
                        yield response, pieces
                        return
                    with self._address.our_errors():
                        body = beginning(pieces, ERROR_BYTES)
                pause, note = retries.pause_after(response.status_code, response.headers)
                if pause is None:
                    self._address.refuse(response.status_code, body, note)
                else:
                    self._sleep(pause)

    @contextmanager
    def _exchange(self, request: _Request, seconds: float) -> Iterator[tuple[httpx.Response, Iterator[bytes]]]:
        """One try: its answer, whatever the status."""
        deadline = Deadline(seconds)
        with self._address.our_errors(), deadline.covering():
            built = self._client.build_request(request.method, request.path, **request.options)
            response = self._client.send(built, stream=True, follow_redirects=request.method == "GET")
        try:
            self._address.check_head(request.method, response)
            yield response, _read(response, deadline)
        finally:
            response.close()

    def _translated(self, items: Iterator[Item]) -> Iterator[Item]:
        """Translates errors of reading ``items``. Errors of the code that uses them pass unchanged."""
        while True:
            with self._address.our_errors():
                item = next(items, None)
            if item is None:
                return
            yield item

    def socket_address(self, path: str) -> tuple[str, dict[str, str]]:
        """(address, headers) of a WebSocket on this hub, with this hub's token."""
        return self._address.socket_address(path)

    @property
    def timeout_seconds(self) -> float:
        """Seconds that one answer may take."""
        return self._address.timeout_seconds

    def close(self) -> None:
        """Let go of all connections."""
        self._client.close()


class AsyncConnection:
    """:class:`HubConnection` for asyncio. It belongs to one event loop."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout_seconds: float = 60.0,
        connections: int = 16,
        transport: AsyncTransport | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._sleep = sleep
        self._address = HubAddress(url, token, timeout_seconds)
        self._slots = asyncio.Semaphore(connections)
        self._client = httpx.AsyncClient(
            transport=transport or LazyAsyncTransport(connections),
            event_hooks={"response": [self._refuse_plain]},
            **self._address.options,
        )

    async def _refuse_plain(self, response: httpx.Response) -> None:
        self._address.refuse_plain(response)

    async def send(self, call: ApiCall[Answer]) -> Answer:
        """Send one call and read its answer. Raises one of :mod:`hub_client.errors`."""
        seconds = _seconds(self._address.timeout_seconds, len(call.content or b""))
        async with self._open(_Request.of(call), seconds) as pieces:
            with self._address.our_errors():
                body = b"".join([piece async for piece in bounded_async(pieces, "the answer", JSON_BYTES)])
        return read_answer(self._address.url, call, body)

    @asynccontextmanager
    async def lines(
        self, method: str, path: str, *, content: bytes, seconds: float = STREAM_SECONDS
    ) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """An NDJSON answer to an NDJSON body, one object at a time; all of it within ``seconds``."""
        request = _Request(method, path, content=content, headers=self._address.stream_headers(content))
        async with self._open(request, seconds) as pieces:
            yield (parse_line(self._address.url, line) async for line in self._translated(split_lines_async(pieces)))

    @asynccontextmanager
    async def _open(self, request: _Request, seconds: float) -> AsyncIterator[AsyncIterator[bytes]]:
        retries = Retries(self._address.timeout_seconds, is_repeatable=request.is_repeatable)
        async with self._slots:
            while True:
                async with self._exchange(request, seconds) as (response, pieces):
                    if response.status_code < 400:
                        yield pieces
                        return
                    with self._address.our_errors():
                        body = await beginning_async(pieces, ERROR_BYTES)
                pause, note = retries.pause_after(response.status_code, response.headers)
                if pause is None:
                    self._address.refuse(response.status_code, body, note)
                else:
                    await self._sleep(pause)

    @asynccontextmanager
    async def _exchange(
        self, request: _Request, seconds: float
    ) -> AsyncIterator[tuple[httpx.Response, AsyncIterator[bytes]]]:
        deadline = Deadline(seconds)
        with self._address.our_errors():
            built = self._client.build_request(request.method, request.path, **request.options)
            async with asyncio.timeout(deadline.left()):
                response = await self._client.send(built, stream=True, follow_redirects=request.method == "GET")
        try:
            self._address.check_head(request.method, response)
            yield response, _read_async(response, deadline)
        finally:
            await response.aclose()

    async def _translated(self, items: AsyncIterator[Item]) -> AsyncIterator[Item]:
        while True:
            with self._address.our_errors():
                item = await anext(items, None)
            if item is None:
                return
            yield item

    async def aclose(self) -> None:
        """Let go of all connections."""
        await self._client.aclose()


def _read(response: httpx.Response, deadline: Deadline) -> Iterator[bytes]:
    pieces = response.iter_bytes()
    while True:
        with deadline.covering():
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


async def _read_async(response: httpx.Response, deadline: Deadline) -> AsyncIterator[bytes]:
    pieces = response.aiter_bytes()
    while True:
        async with asyncio.timeout(deadline.left()):
            piece = await anext(pieces, None)
        if piece is None:
            return
        yield piece
