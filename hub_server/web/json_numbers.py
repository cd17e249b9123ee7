"""Refuses JSON bodies with NaN, infinity, or a number that no float can hold, such as 1e999.

Python's parser makes infinity of them, and every model that has room for any JSON (a task, a run's configuration) takes
that. It failed only later, where it was written again: one anonymous request to judge was answered with 500.
"""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub_server.web.body_limits import is_stream
from schemas.strict_json import may_hold_unfit_number, parse_json


class JsonNumbers:
    """Looks through each whole JSON body. A stream of responses is looked through line by line where it is read."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_stream(scope["path"]):
            await self.app(scope, receive, send)
            return
        kind = Headers(scope=scope).get("content-type", "").lower()
        is_json: bool | None = "json" in kind or (None if not kind else False)
        pieces: list[bytes] = []

        async def checked_receive() -> Message:
            nonlocal is_json
            message = await receive()
            # Older FastAPI takes a body without a type for JSON; a wheel comes without one as well.
            if is_json is None and (start := message.get("body", b"").lstrip()[:1]):
                is_json = start in b"{["
            if is_json and message["type"] == "http.request":
                pieces.append(message.get("body", b""))
                if not message.get("more_body", False):
                    _check(b"".join(pieces))
                    pieces.clear()
            return message

        await self.app(scope, checked_receive, send)


def _check(body: bytes) -> None:
    if not may_hold_unfit_number(body):
        return
    try:
        parse_json(body)
    except ValueError as error:
        raise HTTPException(422, f"The body is not sound JSON: {error}.") from None
