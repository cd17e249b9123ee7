"""A mirror only reads: whatever would write, run code or log somebody in is refused, and the other hub is named.

Pages about accounts are the other hub's: whoever follows a link to one is led there.
"""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hub_server.errors import MirrorError
from hub_server.web.problems import problem_response
from schemas.problem import Problem

_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN = frozenset({"/theme"})
"""What a reader sets in the own browser alone."""
_ACCOUNTS = ("/owners/", "/login", "/signup")
"""Pages that say or ask who somebody is, which a mirror does not know."""


class ReadOnlyMirror:
    """Refuses everything but reads where this hub mirrors the one at ``origin``; empty: lets all pass."""

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self.app = app
        self._origin = origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_http = scope["type"] == "http"
        is_read = is_http and (scope["method"] in _READS or scope["path"] in _OWN)
        if not self._origin or is_read or scope["type"] == "lifespan":
            leads_on = bool(self._origin) and is_http and scope["path"].startswith(_ACCOUNTS)
            await (self._led_on(scope) if leads_on else self.app)(scope, receive, send)
        elif is_http:
            problem = Problem(
                type=f"/docs/errors#{MirrorError.code.value}",
                title=MirrorError.title,
                status=MirrorError.status,
                code=MirrorError.code.value,
                detail=f"This is a read-only mirror of {self._origin}: do this there (`--url {self._origin}`).",
                instance=str(scope["state"]["request_id"]),
            )
            await problem_response(Request(scope), problem)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _led_on(self, scope: Scope) -> ASGIApp:
        query = scope["query_string"].decode("ascii", "ignore")
        place = quote(scope["path"]) + (f"?{query}" if query else "")
        return RedirectResponse(self._origin + place, status_code=307)
