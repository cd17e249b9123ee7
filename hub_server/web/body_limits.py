"""Limits size and time of request bodies. Bytes are counted, because Content-Length may be false."""

import anyio
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub_server.errors import TooLargeError
from hub_server.settings import LimitSettings
from hub_server.web.problems import refuse


class BodyLimits:
    """Refuses early by Content-Length, and cuts off a body that grows beyond its limit."""

    def __init__(self, app: ASGIApp, limits: LimitSettings) -> None:
        self.app = app
        self.limits = limits

    def limit_for(self, path: str) -> int:
        """Bytes that a request to ``path`` may bring."""
        if path == "/api/v1/packages":
            return self.limits.wheel_bytes
        if is_stream(path):
            return self.limits.score_body_bytes
        return self.limits.body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.limit_for(scope["path"])
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdigit() and int(announced) > limit:
            await _refusal(scope, limit)(scope, receive, send)
            return
        taken = 0

        is_whole, began = False, anyio.current_time()

        async def limited_receive() -> Message:
            nonlocal taken, is_whole
            message = await (receive() if is_whole or is_stream(scope["path"]) else self._in_time(receive, began))
            is_whole = not message.get("more_body", False)
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                if taken > limit:
                    raise HTTPException(413, _sentence(limit))
            return message

        await self.app(scope, limited_receive, send)

    async def _in_time(self, receive: Receive, began: float) -> Message:
        """The next piece of a body, or 408 where it does not come."""
        left = began + self.limits.body_seconds - anyio.current_time()
        with anyio.move_on_after(max(0.0, min(left, self.limits.body_idle_seconds))):
            return await receive()
        raise HTTPException(408, "The body came too slowly: send it again over a better line.")


def is_stream(path: str) -> bool:
    """Whether the body of this path is a stream of responses, which is sent and answered at the same time."""
    return path.startswith("/api/v1/packages/") and path.endswith("/score")


def _sentence(limit: int) -> str:
    return f"The body is larger than the {limit / 2**20:.3g} MiB that this hub takes here: send less at once."


def _refusal(scope: Scope, limit: int) -> ASGIApp:
    answer = refuse(Request(scope), TooLargeError(_sentence(limit)))
    answer.headers["Connection"] = "close"
    return answer
