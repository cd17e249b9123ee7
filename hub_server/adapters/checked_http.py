"""All HTTP that the hub sends: to addresses that strangers name, and to providers that the operator names.

Each name is resolved once, its address is checked, and the connection goes to that address. So a name that resolves
differently the next time (DNS rebinding) gains nothing. Redirects and proxies of the environment are not used. The
whole exchange has one time limit, and what is read has a size limit.
"""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

import httpcore

from hub_server.adapters.public_addresses import IpAddress, IpNetwork, is_in, is_public
from hub_server.errors import InvalidRequestError
from hub_server.ports.outgoing_http import OutgoingError

_WEB_PORTS = frozenset({80, 443})
_FIRST_FREE_PORT = 1024  # below are ports of a system's own services (RFC 6335): no stranger's address may reach them
_HEAD_BYTES = 64 * 1024
"""What an answer may have beside its body: status line, headers, TLS."""
_MOST_ADDRESSES = 3
"""So many addresses of a name are tried."""
_BAD_ADDRESSES = (ValueError, LookupError, TypeError, httpcore.UnsupportedProtocol, httpcore.LocalProtocolError)
_FAILURES = (httpcore.NetworkError, httpcore.ProtocolError, OSError)

Resolve = Callable[[str, int], Sequence[str]]
"""A name and a port -> its addresses. Raises ``OSError``."""


def resolve_by_system(name: str, port: int) -> Sequence[str]:
    """What this machine's resolver says."""
    return [str(found[4][0]) for found in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)]


@cache
def _trusted_certificates() -> ssl.SSLContext:
    """Read for the first message and kept: reading takes 80 ms of CPU, and many hubs never send one."""
    return httpcore.default_ssl_context()


@dataclass(frozen=True)
class _Limits:
    """Where a request may go, and how long and how large it may be."""

    allowed: tuple[IpNetwork, ...]
    seconds: float
    most_bytes: int
    resolve: Resolve


ANY_NETWORK = ("0.0.0.0/0", "::/0")
"""For addresses that the operator has chosen, and nobody else."""


class CheckedHttp:
    """Requests to public addresses, and to those in ``allowed``: networks of the operator's own."""

    def __init__(
        self,
        allowed: Sequence[str],
        seconds: float,
        *,
        most_bytes: int = 64 * 1024,
        resolve: Resolve = resolve_by_system,
        context: ssl.SSLContext | None = None,
    ) -> None:
        """``seconds``: for all of a request. ``most_bytes``: of an answer, with its head.

        Raises ``InvalidRequestError`` for what is no network.
        """
        try:
            networks = tuple(ip_network(text, strict=False) for text in allowed)
        except ValueError as error:
            raise InvalidRequestError(
                f"VERIHUB_SERVER_OUTGOING__ALLOWED_NETWORKS: {error}. Write networks such as 10.1.0.0/16."
            ) from None
        self._limits = _Limits(networks, seconds, most_bytes, resolve)
        self._context = context

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        return self._send("POST", url, headers, body, self._limits)[0]

    def get(self, url: str) -> bytes:
        """The body of an answer with the status 200. Raises ``OutgoingError`` for any other."""
        status, body = self._send("GET", url, {}, None, self._limits)
        if status != HTTPStatus.OK:
            raise OutgoingError(f"It answered {status}.")
        return body

    def read(self, url: str, *, most_bytes: int, seconds: float) -> tuple[int, bytes]:
        limits = replace(self._limits, most_bytes=most_bytes + _HEAD_BYTES, seconds=seconds)
        return self._send("GET", url, {}, None, limits)

    def fetch(self, url: str, keep: Callable[[bytes], object], *, most_bytes: int, seconds: float) -> int:
        limits = replace(self._limits, most_bytes=most_bytes + _HEAD_BYTES, seconds=seconds)
        with self._answer("GET", url, {}, None, limits) as answer:
            if answer.status == HTTPStatus.OK:
                for piece in answer.iter_stream():
                    keep(piece)
            return answer.status

    def why_not(self, url: str) -> str:
        """However the address is written: as one number, in base 8 or 16, or as the name ``localhost``."""
        host = (urlsplit(url).hostname or "").rstrip(".")
        is_own = host == "localhost" or host.endswith(".localhost")
        try:
            found = socket.getaddrinfo("127.0.0.1" if is_own else host, None, flags=socket.AI_NUMERICHOST)
        except (OSError, UnicodeError):
            return ""  # a name: what it leads to is asked when something is sent
        address = ip_address(str(found[0][4][0]).partition("%")[0])
        if is_public(address) or is_in(address, self._limits.allowed):
            return ""
        return (
            f"{host} is not an address on the public internet, so this hub sends nothing there. Name a public one, or "
            "ask the hub's operator to allow its network (VERIHUB_SERVER_OUTGOING__ALLOWED_NETWORKS)."
        )

    def _send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, limits: _Limits
    ) -> tuple[int, bytes]:
        """Status and body; the body of an answer to POST is not read."""
        with self._answer(method, url, headers, body, limits) as answer:
            return answer.status, answer.read() if body is None else b""

    @contextmanager
    def _answer(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, limits: _Limits
    ) -> Iterator[httpcore.Response]:
        """The answer, whose body comes while the block runs. Raises ``OutgoingError``, from there too."""
        seconds = limits.seconds
        backend = _CheckedBackend(limits)
        try:
            certificates = self._context or _trusted_certificates()
            with httpcore.ConnectionPool(network_backend=backend, ssl_context=certificates) as pool:
                timeouts = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
                sent = [*headers.items(), ("Connection", "close")]
                with pool.stream(method, url, headers=sent, content=body, extensions={"timeout": timeouts}) as answer:
                    yield answer
        except (httpcore.TimeoutException, TimeoutError):
            raise OutgoingError(f"No answer came within {seconds:g} s.") from None
        except _BAD_ADDRESSES as error:
            raise OutgoingError(f"This address cannot be used ({type(error).__name__}).") from None
        except _FAILURES as error:
            raise OutgoingError(_reason(error)) from None


def _reason(error: Exception) -> str:
    """In our own words: what a receiver sends must not reach the account that named the address."""
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return "Its certificate is not good: it has expired, is of another name, or of no authority known here."
    if isinstance(error, httpcore.ConnectError):
        return "Nothing accepts connections there, or no TLS connection came about."
    if isinstance(error, httpcore.ProtocolError):
        return "What came back is not HTTP."
    return "The connection broke off before an answer came."


class _CheckedBackend(httpcore.NetworkBackend):
    """Connects one request to a checked address. Its clock begins when it is made."""

    def __init__(self, limits: _Limits) -> None:
        self._limits = limits
        self._ends_at = time.monotonic() + limits.seconds
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 -- the clock of the whole request counts
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: Exception | None = None
        for address in self._checked_addresses(host, port):
            left = _left(self._ends_at)
            try:
                stream = self._inner.connect_tcp(str(address), port, left, local_address, socket_options)
            except httpcore.ConnectError as error:
                failure = error
            else:
                return _BoundedStream(stream, self._ends_at, [self._limits.most_bytes])
        raise failure or httpcore.ConnectError("no address")

    def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.NetworkStream:
        raise OutgoingError("This address cannot be used.")

    def sleep(self, seconds: float) -> None:
        time.sleep(min(seconds, _left(self._ends_at)))

    def _checked_addresses(self, host: str, port: int) -> list[IpAddress]:
        """All addresses of a name. One that is not public is enough to refuse it."""
        if port not in _WEB_PORTS and port < _FIRST_FREE_PORT:
            raise OutgoingError(f"Port {port} is that of another service: use 443, 80, or one from 1024 on.")
        try:
            found = _in_time(lambda: self._limits.resolve(host, port), _left(self._ends_at))
        except (OSError, UnicodeError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise OutgoingError("Its name has no address.") from None
        addresses = [ip_address(text.partition("%")[0]) for text in dict.fromkeys(found)]
        if not addresses:
            raise OutgoingError("Its name has no address.")
        if not all(is_public(address) or is_in(address, self._limits.allowed) for address in addresses):
            raise OutgoingError(
                "It leads to an address that is not public, and this hub's operator has not allowed it "
                "(VERIHUB_SERVER_OUTGOING__ALLOWED_NETWORKS)."
            )
        return addresses[:_MOST_ADDRESSES]


def _in_time(call: Callable[[], Sequence[str]], seconds: float) -> Sequence[str]:
    """``call()`` in a thread that is left behind after ``seconds``: the system's resolver has no clock of ours."""
    future: Future[Sequence[str]] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 -- handed over to who waits
            future.set_exception(error)

    threading.Thread(target=run, name="resolve", daemon=True).start()
    return future.result(seconds)


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the request's time is over")
    return left


class _BoundedStream(httpcore.NetworkStream):
    """A connection whose reads end with the request's clock, however slowly bytes come, and after so many bytes."""

    def __init__(self, inner: httpcore.NetworkStream, ends_at: float, bytes_left: list[int]) -> None:
        self._inner = inner
        self._ends_at = ends_at
        self._bytes_left = bytes_left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 -- one clock for all
        data = self._inner.read(max_bytes, _left(self._ends_at))
        self._bytes_left[0] -= len(data)
        if self._bytes_left[0] < 0:
            raise httpcore.ReadError("the answer is too long")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._inner.write(buffer, _left(self._ends_at))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        stream = self._inner.start_tls(ssl_context, server_hostname, _left(self._ends_at))
        return _BoundedStream(stream, self._ends_at, self._bytes_left)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
