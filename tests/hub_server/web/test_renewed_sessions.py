"""The cookie of a session whose secret a request has changed."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from hub_server.web.cookies import renew_session, session_secret
from hub_server.web.renewed_sessions import RenewedSessions


def cookies_of(renewed: list[str], *, status: int = 200) -> list[str]:
    """The cookies of an answer to a request that changes the secret to each of ``renewed`` in turn."""
    app = Starlette()
    app.state.services = SimpleNamespace(settings=SimpleNamespace(secure_cookies=True))
    sent: list[Message] = []

    async def act(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        for secret in renewed:
            renew_session(request, secret)
            assert session_secret(request) == secret
        answer: Response = PlainTextResponse("", status_code=status)
        answer.set_cookie("theme", "dark")
        await answer(scope, receive, send)

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "headers": [],
        "app": app,
        "scheme": "https",
    }
    asyncio.run(RenewedSessions(act)(scope, receive, send))
    return [value.decode().split(";")[0] for name, value in sent[0]["headers"] if name == b"set-cookie"]


@pytest.mark.parametrize("status", [200, 303, 422, 500])
def test_the_cookie_comes_with_every_answer(status: int) -> None:
    assert cookies_of(["one", "two"], status=status) == ["theme=dark", "__Host-verihub-session=two"]


def test_an_answer_without_a_change_sets_none() -> None:
    assert cookies_of([]) == ["theme=dark"]
