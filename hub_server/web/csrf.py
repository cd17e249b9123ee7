"""Protection against cross-site requests (CSRF): browsers' unsafe methods must come from this origin."""

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import bearer_token
from hub_server.web.problems import refuse

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing (RFC 9110, 9.2.1)."""


class SameOriginWrites:
    """Refuses what a browser says came from elsewhere.

    ``Sec-Fetch-Site`` decides where it is sent; else ``Origin`` must name this host. A request with neither header
    comes from no browser. Requests with a bearer token pass: their cookies are not read.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guarded = scope["type"] == "websocket" or (scope["type"] == "http" and scope["method"] not in SAFE_METHODS)
        if not guarded or not is_foreign(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = NotAllowedError("This request came from another site, and only this hub's own pages may send it.")
        await refuse(Request(scope), refusal)(scope, receive, send)


def is_foreign(headers: Headers) -> bool:
    """Whether a browser sent this for another site."""
    if bearer_token(headers):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    if origin is None:
        return False
    return origin == "null" or origin.partition("://")[2].lower() != headers.get("host", "").lower()
