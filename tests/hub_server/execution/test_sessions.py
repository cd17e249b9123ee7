"""Episodes over a WebSocket: played, branched, refused in words, ended with the connection."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.types import Message
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from hub_server.app import create_app
from hub_server.kernel.caller import operator
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.moderation import actions as moderation
from schemas.moderation import Suspension
from tests.making.hub import Api, make_package
from tests.making.listening_app import Served
from tests.making.wheel import MANIFEST

PLAYABLE = MANIFEST.replace('tags = ["math"]', 'session = "alice_small_sums:Session"\ntags = ["math"]')
PATH = "/api/v1/packages/alice/small-sums/releases/1.0.0/session"


@pytest.fixture
def play(alice: Api, served: Served) -> Callable[..., ClientConnection]:
    assert alice.publish(make_package(manifest=PLAYABLE)).status_code == 201

    def open_socket(token: str | None = alice.token, path: str = PATH) -> ClientConnection:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return connect(served.url.replace("http", "ws") + path, additional_headers=headers)

    return open_socket


def ask(socket: ClientConnection, op: str, **more: Any) -> dict[str, Any]:
    socket.send(json.dumps({"id": op, "op": op, **more}))
    answer = json.loads(socket.recv(timeout=60))
    assert answer["id"] == op
    return answer


def say(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def test_an_episode_is_played_branched_and_taken_back(play: Callable[..., ClientConnection]) -> None:
    with play() as socket:
        begun = ask(socket, "reset", task_id="t1")
        assert begun["result"]["messages"] == [{"role": "user", "content": "1+1?"}]
        ask(socket, "step", message=say("one"))
        branch = ask(socket, "branch")["result"]["session"]
        ask(socket, "step", message=say("two"))
        ask(socket, "step", message=say("three"), session=branch)
        assert ask(socket, "state")["result"] == {"turns": ["one", "two"]}
        assert ask(socket, "state", session=branch)["result"] == {"turns": ["one", "three"]}
        ask(socket, "undo")
        assert ask(socket, "state")["result"] == {"turns": ["one"]}
        ask(socket, "close", session=branch)
        assert ask(socket, "state", session=branch)["problem"]["code"] == "invalid_request"


def test_what_cannot_be_done_is_said_and_the_episode_lives_on(play: Callable[..., ClientConnection]) -> None:
    with play() as socket:
        assert "reset one with a task first" in ask(socket, "step", message=say("x"))["problem"]["detail"]
        assert ask(socket, "reset", task_id="t99")["problem"]["code"] == "task_not_found"
        ask(socket, "reset", task={"id": "own", "prompt": "hello"})
        assert "step needs message" in ask(socket, "step")["problem"]["detail"]
        socket.send("not json")
        assert json.loads(socket.recv(timeout=60))["problem"]["code"] == "invalid_request"
        assert ask(socket, "state")["result"] == {"turns": []}


def test_branches_have_a_limit(play: Callable[..., ClientConnection]) -> None:
    with play() as socket:
        ask(socket, "reset", task_id="t1")
        answers = [ask(socket, "branch") for _ in range(40)]
    assert "branches live already" in answers[-1]["problem"]["detail"]


def test_playing_needs_an_account_and_a_session(play: Callable[..., ClientConnection], alice: Api) -> None:
    with play(token=None) as socket:
        assert json.loads(socket.recv(timeout=60))["problem"]["code"] == "not_authenticated"
    alice.publish(make_package("alice/plain"))
    with play(path="/api/v1/packages/alice/plain/releases/1.0.0/session") as socket:
        assert "no session" in json.loads(socket.recv(timeout=60))["problem"]["detail"]


@pytest.mark.parametrize("stop", ["suspension", "hidden", "revoked", "quarantine"])
def test_an_open_episode_ends_when_its_account_or_its_release_is_stopped(
    play: Callable[..., ClientConnection], alice: Api, services: Services, stop: str
) -> None:
    with play() as socket:
        ask(socket, "reset", task_id="t1")
        ask(socket, "step", message=say("one"))
        stop_it(stop, alice, services)
        socket.send(json.dumps({"id": "x", "op": "step", "message": say("two")}))
        code = json.loads(socket.recv(timeout=60))["problem"]["code"]
        assert code in {"account_suspended", "not_authenticated", "quarantined"}
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


def stop_it(stop: str, alice: Api, services: Services) -> None:
    if stop == "revoked":
        assert alice.post("/api/v1/tokens/revoke", json={"token": alice.token}).status_code == 204
        return
    with services.database.writing() as session:
        work = UnitOfWork(session, services, operator())
        if stop == "quarantine":
            moderation.quarantine_release(work, "alice/small-sums", "1.0.0", "steals keys")
        else:
            body = Suspension(reason="malware", hide_content=stop == "hidden")
            moderation.suspend_account(work, "alice", body)


def test_an_episode_goes_on_with_its_release_when_a_newer_one_comes(
    play: Callable[..., ClientConnection], alice: Api
) -> None:
    """``latest`` is what it was when the episode began; a newer release without a session does not end it."""
    with play(path=PATH.replace("1.0.0", "latest")) as socket:
        ask(socket, "reset", task_id="t1")
        assert alice.publish(make_package(version="2.0.0")).status_code == 201
        ask(socket, "step", message=say("one"))
        assert ask(socket, "state")["result"] == {"turns": ["one"]}


def test_a_client_that_left_before_it_was_refused_is_no_fault_of_ours(services: Services) -> None:
    """It had waited for a place, say. The error went up to the server, which wrote it into the log as a bug."""
    sent: list[str] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message["type"])
        if message["type"] != "websocket.accept":
            raise OSError("the client has gone")

    scope = {
        "type": "websocket", "asgi": {"version": "3.0", "spec_version": "2.4"}, "path": PATH, "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")], "scheme": "ws", "client": ("127.0.0.1", 9), "server": ("127.0.0.1", 80),
        "subprotocols": [],
    }  # fmt: skip
    asyncio.run(create_app(services)(scope, receive, send))
    assert sent == ["websocket.accept", "websocket.send"]
