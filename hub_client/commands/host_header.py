"""Which requests a locally started server accepts: those of programs on this machine, but not of web pages in a
browser.
"""

import ipaddress
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

App = Callable[[Any, Any, Any], Awaitable[None]]


class HostCheck:
    """An ASGI application that answers 403 to requests that a web page could send, and passes on the rest.

    ``Host`` must be an address in numbers, ``localhost`` or ``host`` itself: a page whose name was bound to this
    machine (DNS rebinding) sends its own name. ``Origin``, which only browsers send, must be of this machine or of the
    very server that is asked.
    """

    def __init__(self, app: App, host: str) -> None:
        self._app = app
        self._names = {"localhost", host.lower()}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] in ("http", "websocket") and not self._is_allowed(scope["headers"]):
            await _refuse(scope["type"], receive, send)
            return
        await self._app(scope, receive, send)

    def _is_allowed(self, headers: list[tuple[bytes, bytes]]) -> bool:
        hosts = [_host_of("//" + value.decode("latin-1")) for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or not (hosts[0] in self._names or _address(hosts[0])):
            return False
        return all(_is_local(asker := _host_of(origin)) or asker == hosts[0] for origin in origins)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches ``host``."""
    return _is_local(host.lower())


def _host_of(url: str) -> str:
    """The host in ``//host:port`` or a URL, in lower case; empty when there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_local(host: str) -> bool:
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


async def _refuse(kind: str, receive: Any, send: Any) -> None:
    if kind == "websocket":
        await receive()
        # Refused before the WebSocket is accepted, so the client sees 403.
        await send({"type": "websocket.close", "code": 1008})
        return
    await send({"type": "http.response.start", "status": 403, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b"this server answers programs of its machine, not web pages\n"})
