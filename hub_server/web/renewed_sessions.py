"""Sends the new session cookie with any answer to a request that has changed the session's secret.

A form with a password changes the secret before the act is tried. If the act is then refused, the browser still needs
the new cookie, or it would be logged out.
"""

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub_server.web.cookies import renewed_secret, set_session


class RenewedSessions:
    """Sets the cookie that ``cookies.renew_session`` has asked for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_cookie(message: Message) -> None:
            connection = HTTPConnection(scope)
            secret = renewed_secret(connection) if message["type"] == "http.response.start" else None
            if secret is not None:
                made = Response()
                set_session(made, secret, connection)
                MutableHeaders(scope=message).append("set-cookie", made.headers["set-cookie"])
            await send(message)

        await self.app(scope, receive, send_with_cookie if scope["type"] == "http" else send)
