"""Pools of connections that read the trusted certificates when a server speaks TLS, and then once for the process.

httpx reads them for every client: 40 ms of CPU, which each command spent twice, also where the hub speaks plain HTTP.
"""

import ssl
from functools import cache

import httpcore
import httpx


@cache
def trusted_certificates() -> ssl.SSLContext:
    """Httpx's own: those of certifi, or what ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names."""
    return httpx.create_ssl_context()


class LazyPool(httpcore.ConnectionPool):
    """For blocking clients."""

    def create_connection(self, origin: httpcore.Origin) -> httpcore.ConnectionInterface:
        """Called for the first request to a server, also to one that an answer redirects to."""
        if origin.scheme == b"https":
            self._ssl_context = trusted_certificates()
        return super().create_connection(origin)


class LazyAsyncPool(httpcore.AsyncConnectionPool):
    """For asyncio."""

    def create_connection(self, origin: httpcore.Origin) -> httpcore.AsyncConnectionInterface:
        """See :meth:`LazyPool.create_connection`."""
        if origin.scheme == b"https":
            self._ssl_context = trusted_certificates()
        return super().create_connection(origin)


class LazyAsyncTransport(httpx.AsyncHTTPTransport):
    """Over a :class:`LazyAsyncPool` of ``connections``."""

    def __init__(self, connections: int) -> None:
        # httpx offers no argument for the pool, and its constructor would read the certificates.
        self._pool = LazyAsyncPool(
            max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=5.0, retries=1
        )
