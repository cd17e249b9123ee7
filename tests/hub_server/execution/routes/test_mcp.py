"""The address of a release's tools: what is handed on to the protocol's library, and what never reaches it."""

import pytest
from starlette.types import Receive, Scope, Send

from hub_server.app import create_app
from hub_server.execution.routes.mcp import ToolsResponse
from hub_server.ports.tool_server import ServedTools
from tests.hub_server.execution.played import SUMS
from tests.making.action_driver import ActionDriver
from tests.making.hub import PASSWORD, Api

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


class Noting:
    """A tool server that notes what it is asked, and answers with one word."""

    def __init__(self) -> None:
        self.asked: list[ServedTools] = []

    async def answer(self, tools: ServedTools, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(tools)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": scope["method"].encode()})

    def close(self) -> None:
        """Holds nothing."""


@pytest.fixture
def server(playable: ActionDriver) -> Noting:
    made = Noting()
    object.__setattr__(playable.services, "tools", made)
    return made


@pytest.fixture
def caller(playable: ActionDriver, server: Noting) -> Api:
    api = Api(create_app(playable.services))
    made = api.post("/api/v1/accounts", json={"name": "carol", "email": "c@example.org", "password": PASSWORD})
    return api.as_token(made.json()["token"])


def address(package: str, query: str = "") -> str:
    return f"/api/v1/packages/{package}/releases/latest/mcp{query}"


def test_every_method_of_the_protocol_is_handed_on_with_the_caller(caller: Api, server: Noting) -> None:
    for method in ("GET", "POST", "DELETE"):
        answer = caller.request(method, address("alice/look"))
        assert (answer.status_code, answer.text) == (200, method)
    assert {tools.package for tools in server.asked} == {"alice/look"}
    assert len({tools.caller for tools in server.asked}) == 1
    assert "carol" not in server.asked[0].caller, "an id: a name may be given to somebody else one day"


def test_what_may_not_connect_never_reaches_the_protocol(caller: Api, server: Noting) -> None:
    stranger = caller.as_token(None)
    refused = (
        (stranger.post(address("alice/look"), json=CALL), 401),
        (caller.post(address("alice/borrows"), json=CALL), 422),
        (caller.post(address("alice/none"), json=CALL), 404),
        (caller.post(address(SUMS, "?task=t9"), json=CALL), 404),
        (caller.post(address(SUMS, "?seed=x"), json=CALL), 422),
        (caller.request("PUT", address("alice/look"), json=CALL), 405),
    )
    assert [answer.status_code for answer, _ in refused] == [status for _, status in refused]
    assert server.asked == []


def test_a_session_is_given_the_first_task_or_the_one_that_is_named(caller: Api, server: Noting) -> None:
    for query in ("", "?task=t2&seed=9"):
        assert caller.post(address(SUMS, query), json=CALL).status_code == 200
    assert [(tools.task or {})["id"] for tools in server.asked] == ["t1", "t2"]
    assert [tools.seed for tools in server.asked] == [0, 9]


def test_the_response_itself_sends_nothing_of_its_own(server: Noting) -> None:
    tools = ServedTools("al/x", "1.0.0", "", (), "id-carol")
    assert ToolsResponse(server, tools).body == b""
    assert not tools.is_stateful
