"""The Model Context Protocol as a stranger speaks it: malformed, too large, of another version, on others' connections."""

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from sandbox.errors import SandboxUnavailableError, VerifierFailedError
from sandbox.tools.mcp_http import CallerLimits, HttpTools
from sandbox.tools.mcp_server import ToolOffer
from sandbox.tools.tool_session import UnknownToolError
from tests.sandbox.tools.test_mcp_server import BEGIN, BEGUN, COUNT, Counting, request

NEWEST = "2026-07-28"
"""The version without connections."""


class Client:
    """Asks over HTTP, in this process."""

    def __init__(self, tools: HttpTools, opened: list[Counting]) -> None:
        self.tools = tools
        self.opened = opened
        self.fault: Exception | None = None
        self.openings = 0
        self.may_open: threading.Event | None = None
        self._idents = itertools.count(2)

    def open_tool_session(self) -> Counting:
        self.openings += 1
        if self.may_open is not None:
            self.may_open.wait()
        if isinstance(self.fault, SandboxUnavailableError):
            raise self.fault
        self.opened.append(Counting(self.fault))
        return self.opened[-1]

    async def send(
        self,
        body: Any = None,
        session: str | None = None,
        *,
        method: str = "POST",
        owner: str = "alice",
        is_stateful: bool = False,
        **headers: str,
    ) -> httpx.Response:
        offer = ToolOffer("al/counting", "1.0.0", "Counts.", self.open_tool_session, is_stateful, owner)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self.tools.handle(offer, scope, receive, send)

        sent = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if session is not None:
            sent["Mcp-Session-Id"] = session
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://hub.test") as client:
            return await client.request(method, "/mcp", content=content, headers=sent)

    async def begin(self, owner: str = "alice") -> str:
        session = str((await self.send(BEGIN, owner=owner)).headers["mcp-session-id"])
        await self.send(BEGUN, session, owner=owner)
        return session

    async def count(self, session: str) -> str:
        call = {**COUNT, "id": next(self._idents)}
        return str((await self.send(call, session)).json()["result"]["content"][0]["text"])


Talk = Callable[[Client], Coroutine[Any, Any, None]]


def over(talk: Talk, **limits: Any) -> list[Counting]:
    """The tool sessions that were opened meanwhile."""
    opened: list[Counting] = []

    async def run() -> None:
        async with HttpTools(CallerLimits(**limits)) as tools:
            await talk(Client(tools, opened))

    asyncio.run(run())
    return opened


def test_a_connection_is_introduced_by_its_packages_name_and_keeps_its_state() -> None:
    async def talk(client: Client) -> None:
        said = (await client.send(BEGIN)).json()["result"]
        assert (said["serverInfo"]["name"], said["serverInfo"]["version"]) == ("al/counting", "1.0.0")
        assert said["instructions"] == "Counts."
        one, other = await client.begin(), await client.begin()
        assert [await client.count(one), await client.count(one), await client.count(other)] == ["1", "2", "1"]

    assert [tool_session.closes for tool_session in over(talk)] == [1, 1], "closed with the server"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null",
        b"3",
        b"[]",
        [BEGIN, BEGIN],
        [COUNT] * 100,
        {"jsonrpc": "1.0", "id": 1, "method": "initialize"},
        {"id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": {}, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        request("tools/list", "not an object"),
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"x": ' + b"[" * 5000 + b"]" * 5000 + b"}}",
        b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}',
    ],
    ids=lambda body: str(body)[:40],
)
@pytest.mark.parametrize("is_connected", [False, True], ids=["first", "connected"])
def test_what_is_no_request_is_refused_as_the_callers_error(body: Any, is_connected: bool) -> None:
    async def talk(client: Client) -> None:
        session = await client.begin() if is_connected else None
        answer = await client.send(body, session)
        is_taken_for_a_notification = answer.status_code == 202 and not answer.content
        assert 400 <= answer.status_code < 500 or is_taken_for_a_notification, (answer.status_code, answer.text)
        assert "Traceback" not in answer.text
        assert await client.count(session or await client.begin()) == "1", "and the next is answered"

    over(talk)


def test_a_method_that_there_is_not_is_said_by_the_protocols_number() -> None:
    async def talk(client: Client) -> None:
        session = await client.begin()
        for method in ("tools/none", "__class__", "", "resources/list", "x" * 5000):
            assert (await client.send(request(method), session)).json()["error"]["code"] in (-32601, -32602)

    over(talk)


@pytest.mark.parametrize(
    "params", [{}, {"name": 7}, {"name": None}, {"name": "count", "arguments": []}, {"name": ["count"]}]
)
def test_a_call_without_a_name_or_with_other_arguments_never_reaches_the_package(params: Any) -> None:
    async def talk(client: Client) -> None:
        session = await client.begin()
        assert (await client.send(request("tools/call", params), session)).json()["error"]["code"] == -32602
        assert await client.count(session) == "1"

    over(talk)


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (VerifierFailedError("al/counting lists an invalid tool"), -32603, "lists an invalid tool"),
        (SandboxUnavailableError("no Docker engine answers"), -32603, "no Docker engine answers"),
        (UnknownToolError("there is no tool 'x'"), -32602, "there is no tool 'x'"),
        (KeyError("secret path of the server"), -32603, ""),
    ],
)
def test_faults_are_the_protocols_errors_and_only_ours_are_quoted(fault: Exception, code: int, words: str) -> None:
    async def talk(client: Client) -> None:
        session = await client.begin()
        client.fault = fault
        answer = await client.send(COUNT, session)
        error = answer.json()["error"]
        assert words in error["message"]
        assert "secret" not in answer.text
        assert isinstance(fault, KeyError) or error["code"] == code
        client.fault = None
        assert await client.count(await client.begin()) == "1"

    over(talk)


@pytest.mark.parametrize("how", ["a length", "no length"])
def test_a_body_beyond_the_limit_is_refused_whether_or_not_it_says_so(how: str) -> None:
    async def talk(client: Client) -> None:
        body = json.dumps({**BEGIN, "padding": "x" * 2000}).encode()
        headers = {} if how == "a length" else {"Transfer_Encoding": "chunked"}
        assert (await client.send(body, **headers)).status_code == 413
        assert (await client.send(BEGIN)).status_code == 200

    over(talk, request_bytes=1000)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Accept": "text/html"}, 406),
        ({"Content_Type": "text/plain"}, 400),
        ({"Mcp_Protocol_Version": "1999-01-01"}, 400),
    ],
    ids=["accepts a page", "text", "another version"],
)
def test_headers_of_something_else_are_refused(headers: dict[str, str], status: int) -> None:
    async def talk(client: Client) -> None:
        answer = await client.send(BEGIN, **headers)
        assert answer.status_code in {status, 415}
        unborn = answer.headers.get("mcp-session-id", "none")
        assert (await client.send(COUNT, unborn)).status_code == 404

    over(talk)


# -- whose connection --------------------------------------------------------------------------------------------------------


def test_nobody_uses_or_ends_anothers_connection() -> None:
    async def talk(client: Client) -> None:
        session = await client.begin()
        assert await client.count(session) == "1"
        for method, body in (("POST", COUNT), ("DELETE", None), ("POST", BEGUN)):
            assert (await client.send(body, session, method=method, owner="mallory")).status_code == 404
        assert await client.count(session) == "2", "its state is still there"
        assert (await client.send(method="DELETE", session=session)).status_code == 200
        assert client.opened[0].closes == 1
        assert (await client.send(COUNT, session)).status_code == 404

    over(talk)


def test_a_second_request_with_an_id_that_is_under_way_is_refused_and_the_first_is_answered() -> None:
    """The library keeps one answer for each id, as text: without the refusal, the first would wait for ever."""

    async def talk(client: Client) -> None:
        session = await client.begin()
        client.may_open = threading.Event()
        first = asyncio.ensure_future(client.send({**COUNT, "id": 7}, session))
        while not client.openings:  # noqa: ASYNC110 -- until it is under way
            await asyncio.sleep(0)
        try:
            for ident in (7, "7"):
                async with asyncio.timeout(30):
                    refused = await client.send({**COUNT, "id": ident}, session)
                assert (refused.status_code, refused.json()["id"]) == (400, ident)
                assert refused.json()["error"]["code"] == -32600
                assert "id 7 is under way" in refused.json()["error"]["message"]
        finally:
            client.may_open.set()
        async with asyncio.timeout(30):
            assert (await first).json()["result"]["content"][0]["text"] == "1"
        again = await client.send({**COUNT, "id": 7}, session)
        assert again.json()["result"]["content"][0]["text"] == "2", "an answered id is free"

    over(talk)


@pytest.mark.parametrize("session", ["0" * 32, "x", "../../etc", "\x7f"])
def test_a_connection_that_there_is_not_is_none(session: str) -> None:
    async def talk(client: Client) -> None:
        for method, body in (("POST", COUNT), ("DELETE", None)):
            assert (await client.send(body, session, method=method)).status_code in (400, 404)
        assert client.opened == []

    over(talk)


def test_requests_that_open_nothing_hold_no_place() -> None:
    async def talk(client: Client) -> None:
        for _ in range(5):
            await client.send(b"{")
            await client.send(COUNT)
        sessions = [await client.begin() for _ in range(2)]
        refused = await client.send(BEGIN)
        assert refused.status_code == 429
        assert "2 connections are open already: close one" in refused.text
        await client.send(method="DELETE", session=sessions[0])
        assert (await client.send(BEGIN)).status_code == 200

    over(talk, connections_each=2)


def test_many_that_open_at_once_stay_within_the_limit() -> None:
    async def talk(client: Client) -> None:
        answers = await asyncio.gather(*(client.send(BEGIN) for _ in range(12)))
        assert sorted(answer.status_code for answer in answers) == [200] * 3 + [429] * 9

    over(talk, connections_each=3)


def test_calls_that_come_at_once_share_one_tool_session() -> None:
    async def talk(client: Client) -> None:
        session = await client.begin()
        assert sorted(await asyncio.gather(*(client.count(session) for _ in range(6)))) == list("123456")

    assert len(over(talk)) == 1


def test_a_tool_session_that_could_not_open_is_tried_again_by_the_next_call() -> None:
    async def talk(client: Client) -> None:
        session = await client.begin()
        client.fault = SandboxUnavailableError("no engine")
        assert "no engine" in (await client.send(COUNT, session)).json()["error"]["message"]
        client.fault = None
        assert await client.count(session) == "1"

    over(talk)


def test_without_connections_each_request_has_a_tool_session_that_ends_with_it() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": NEWEST,
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}  # fmt: skip
    call = request("tools/call", {"name": "count", "arguments": {}, "_meta": meta})
    headers = {"Mcp_Protocol_Version": NEWEST, "Mcp_Method": "tools/call", "Mcp_Name": "count"}

    async def talk(client: Client) -> None:
        for _ in range(2):
            answer = await client.send(call, **headers)
            assert answer.json()["result"]["content"][0]["text"] == "1", answer.text
        assert [tool_session.closes for tool_session in client.opened] == [1, 1]
        refused = await client.send(call, is_stateful=True, **headers)
        assert refused.status_code == 400
        error = refused.json()["error"]
        assert error["data"]["requested"] == NEWEST
        assert "2025-06-18" in error["data"]["supported"], "so that the client falls back to initialize"
        assert len(client.opened) == 2

    over(talk)


def test_a_page_of_another_host_cannot_ask_a_server_on_this_machine() -> None:
    async def run() -> None:
        async with HttpTools(hosts=["127.0.0.1:*"]) as tools:
            client = Client(tools, [])
            assert (await client.send(BEGIN, Host="127.0.0.1:8000")).status_code == 200
            assert (await client.send(BEGIN, Host="evil.test")).status_code in (403, 421)
            assert (await client.send(BEGIN, Host="127.0.0.1:8000", Origin="http://evil.test")).status_code == 403

    asyncio.run(run())
