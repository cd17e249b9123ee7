"""On a mirror, refuses every request that would write, run code or log somebody in, and names the other hub.

Links to pages that a mirror does not have, such as accounts, runs and discussions, are redirected to the other hub.
"""

import re
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hub_server.errors import MirrorError
from hub_server.web.csrf import SAFE_METHODS
from hub_server.web.problems import refuse

_OWN = frozenset({"/theme"})
"""Requests that change only the reader's own browser."""
_ELSEWHERE = re.compile(
    r"/(owners|login|signup|account|organizations|runs|benchmarks|collections|label)(/|$)"
    r"|/packages/[^/]+/[^/]+/(discussions|label|report|releases/[^/]+/try)(/|$)"
)
"""Pages that show what a mirror does not have, or ask who somebody is."""
_ACCOUNT_API = "/api/v1/account"
"""A mirror has no accounts, so it must not answer requests about one with the advice to log in."""


class ReadOnlyMirror:
    """Refuses everything but reads where this hub mirrors the one at ``origin``; empty: lets all pass."""

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self.app = app
        self._origin = origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_http = scope["type"] == "http"
        is_read = is_http and self._is_read(scope["method"], scope["path"])
        if not self._origin or is_read or scope["type"] == "lifespan":
            leads_on = bool(self._origin) and is_http and _ELSEWHERE.match(scope["path"]) is not None
            await (self._led_on(scope) if leads_on else self.app)(scope, receive, send)
        elif is_http:
            refusal = MirrorError(
                f"This is a read-only mirror of {self._origin}: do this there (`--url {self._origin}`)."
            )
            await refuse(Request(scope), refusal)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _is_read(self, method: str, path: str) -> bool:
        about_account = path == _ACCOUNT_API or path.startswith(f"{_ACCOUNT_API}/")
        return path in _OWN or (method in SAFE_METHODS and not about_account)

    def _led_on(self, scope: Scope) -> ASGIApp:
        query = scope["query_string"].decode("ascii", "ignore")
        place = quote(scope["path"]) + (f"?{query}" if query else "")
        return RedirectResponse(self._origin + place, status_code=307)
