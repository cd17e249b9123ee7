"""Pools of connections that read the trusted certificates when a server speaks TLS, and then once for the process.

httpx reads them for every client: 40 ms of CPU, which each command spent twice, also where the hub speaks plain HTTP.
"""

import os
import ssl
from functools import cache
from pathlib import Path
from typing import Any

import httpcore
import httpx

from hub_client.errors import HubUnreachableError
from hub_client.transport.proxies import proxy_of

KEEP_SECONDS = 5.0
"""How long a connection that nobody uses is kept."""


@cache
def trusted_certificates() -> ssl.SSLContext:
    """Httpx's own: those of certifi, or what ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names.

    Raises :class:`httpx.ConnectError` for a file that cannot be read or has none, and for a folder that is none.
    """
    file, folder = (os.environ.get(name, "") for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))  # noqa: TID251 -- not ours
    if folder and not file and not Path(folder).is_dir():
        raise httpx.ConnectError(f"SSL_CERT_DIR names {folder}, which is no folder")  # OpenSSL would trust nobody
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # an SSLError is one
        raise httpx.ConnectError(
            f"SSL_CERT_FILE names {file}, from which no certificate can be read: {error.strerror or error}"
        ) from error


def certificates_of_socket(address: str) -> ssl.SSLContext | None:
    """For a WebSocket of a hub: those that its other answers are checked with; None for ``ws://``.

    Raises :class:`~hub_client.errors.HubUnreachableError` where they cannot be read.
    """
    if not address.startswith("wss:"):
        return None
    try:
        return trusted_certificates()
    except httpx.ConnectError as error:
        raise HubUnreachableError(f"the hub's sessions at {address} were not asked: {error}") from error


class LazyPool(httpcore.ConnectionPool):
    """For blocking clients."""

    def create_connection(self, origin: httpcore.Origin) -> httpcore.ConnectionInterface:
        """Called for the first request to a server, also to one that an answer redirects to."""
        if origin.scheme != b"http":
            self._ssl_context = trusted_certificates()
        proxy = _proxy_to(origin)
        if proxy is None:
            return super().create_connection(origin)
        # The connection is this pool's, which counts and keeps it; the other pool only knows how it is made.
        return httpcore.HTTPProxy(network_backend=self._network_backend, **proxy).create_connection(origin)


class LazyAsyncPool(httpcore.AsyncConnectionPool):
    """For asyncio."""

    def create_connection(self, origin: httpcore.Origin) -> httpcore.AsyncConnectionInterface:
        """See :meth:`LazyPool.create_connection`."""
        if origin.scheme != b"http":
            self._ssl_context = trusted_certificates()
        proxy = _proxy_to(origin)
        if proxy is None:
            return super().create_connection(origin)
        return httpcore.AsyncHTTPProxy(network_backend=self._network_backend, **proxy).create_connection(origin)


def _proxy_to(origin: httpcore.Origin) -> dict[str, Any] | None:
    """How a server is reached through a proxy; None: directly. Its certificate is checked like any other's."""
    proxy = proxy_of(origin.scheme.decode(), origin.host.decode(), origin.port)
    if proxy is None:
        return None
    return {
        "proxy_url": str(proxy.url),
        "proxy_auth": proxy.raw_auth,
        "ssl_context": trusted_certificates(),
        "proxy_ssl_context": trusted_certificates() if proxy.url.scheme == "https" else None,
        "keepalive_expiry": KEEP_SECONDS,
    }


class LazyAsyncTransport(httpx.AsyncHTTPTransport):
    """Over a :class:`LazyAsyncPool` of ``connections``."""

    def __init__(self, connections: int) -> None:
        # httpx offers no argument for the pool, and its constructor would read the certificates.
        self._pool = LazyAsyncPool(
            max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=KEEP_SECONDS, retries=1
        )
