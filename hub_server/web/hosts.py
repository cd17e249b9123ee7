"""Which names of this hub are answered: a page of another name that points here (DNS rebinding) reads nothing."""

from collections.abc import Collection

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hub_server.errors import UnknownHostError
from hub_server.web.problems import refuse

LOOPBACK = ("localhost", "127.0.0.1", "::1")
PROBE_PATHS = ("/healthz", "/readyz")
"""What monitoring asks: by any name of this machine, often, and without an account."""


class KnownHosts:
    """Refuses a request whose ``Host`` is none of ``hosts``. Empty: every name is answered."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app = app
        self._hosts = frozenset(host.lower().strip("[]") for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or not self._hosts or scope["path"] in PROBE_PATHS:
            await self.app(scope, receive, send)
            return
        host = host_of(HTTPConnection(scope).headers.get("host", ""))
        if host in self._hosts:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            refusal = UnknownHostError(
                "This hub is not known by the name that the request gives: its operator lists its names in "
                "VERIHUB_SERVER_HOSTS."
            )
            await refuse(Request(scope), refusal)(scope, receive, send)


def host_of(header: str) -> str:
    """The name in a ``Host`` header, without its port: ``[::1]:80`` is ``::1``."""
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]
