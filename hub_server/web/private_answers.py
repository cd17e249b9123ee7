"""Forbids shared caches to keep an answer to a request with credentials, since it may hold what others must not see."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub_server.web.senders import credentials_of


class PrivateAnswers:
    """Marks such an answer ``private``. A browser, or the client's own cache, may still keep it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith("/static/") or credentials_of(scope) is None:
            await self.app(scope, receive, send)
            return

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                given = [part.strip() for part in headers.get("cache-control", "").split(",") if part.strip()]
                if "no-store" not in given:
                    kept = [part for part in given if part not in ("public", "private")]
                    headers["Cache-Control"] = ", ".join(["private", *kept])
            await send(message)

        await self.app(scope, receive, send_marked)
