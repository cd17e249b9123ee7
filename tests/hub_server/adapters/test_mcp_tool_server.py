"""Connections to tools: whose they are, and that one which nobody uses ends. In this process, with tools of our own."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import anyio
import httpx
import pytest
from starlette.types import Receive, Scope, Send

from hub_server.adapters.mcp_tool_server import McpToolServer
from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.ports.tool_server import ServedTools
from hub_server.settings import LimitSettings
from sandbox.errors import HostFaultError
from schemas.tool import ToolDescription, ToolResult

BEGIN = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}  # fmt: skip
BEGUN = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "count", "arguments": {}}}


class Counting:
    """A tool session with one tool, which counts its calls."""

    def __init__(self) -> None:
        self.calls = itertools.count(1)
        self.closed = threading.Event()

    def tools(self) -> list[ToolDescription]:
        return [ToolDescription(name="count", description="Count.", parameters={"type": "object"})]

    def opening(self) -> str:
        return ""

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        return ToolResult(text=str(next(self.calls)))

    def close(self) -> None:
        self.closed.set()


class Executor:
    """As much of an executor as tools need."""

    def __init__(self) -> None:
        self.opened: list[Counting] = []

    def tool_session(self, *_: object) -> Counting:
        self.opened.append(Counting())
        return self.opened[-1]


class ToolCaller:
    """Asks the tools of ``package`` for ``caller``, over HTTP in this process."""

    def __init__(self, server: McpToolServer) -> None:
        self._server = server

    async def post(
        self, body: dict[str, Any], session: str | None = None, caller: str = "alice", package: str = "alice/counting"
    ) -> httpx.Response:
        tools = ServedTools(package, "1.0.0", "", (), caller)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self._server.answer(tools, scope, receive, send)

        headers = {"Accept": "application/json, text/event-stream", **({"Mcp-Session-Id": session} if session else {})}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://hub.test") as client:
            return await client.post("/mcp", json=body, headers=headers)

    async def begin(self) -> str:
        session = str((await self.post(BEGIN)).headers["mcp-session-id"])
        await self.post(BEGUN, session)
        return session

    async def count(self, session: str) -> str:
        return str((await self.post(CALL, session)).json()["result"]["content"][0]["text"])


@asynccontextmanager
async def caller(executor: Executor, **limits: Any) -> AsyncIterator[ToolCaller]:
    server = McpToolServer(cast("SandboxExecutor", executor), LimitSettings(**limits))
    try:
        yield ToolCaller(server)
    finally:
        server.close()
        assert server._open is not None
        await asyncio.gather(server._open, return_exceptions=True)


def test_a_connection_is_its_callers_and_its_packages_alone() -> None:
    async def main() -> None:
        async with caller(Executor()) as tools:
            session = await tools.begin()
            assert await tools.count(session) == "1"
            assert (await tools.post(CALL, session, caller="bob")).status_code == 404
            assert (await tools.post(CALL, session, package="alice/other")).status_code == 404
            assert await tools.count(session) == "2", "its own caller goes on"

    asyncio.run(main())


def test_a_connection_that_nobody_uses_ends_and_lets_go_of_its_tools() -> None:
    async def main() -> None:
        executor = Executor()
        async with caller(executor, tool_idle_seconds=0.2) as tools:
            session = await tools.begin()
            await tools.count(session)
            with anyio.fail_after(240):
                for pauses in itertools.count():  # each look uses it again, so the next one comes later
                    await asyncio.sleep(0.5 * 2**pauses)
                    if (await tools.post(CALL, session)).status_code == 404:
                        break
                for tool_session in executor.opened:
                    await asyncio.to_thread(tool_session.closed.wait)

    asyncio.run(main())


def test_an_account_holds_so_many_connections_and_no_more() -> None:
    async def main() -> None:
        async with caller(Executor(), tool_connections_each=2) as tools:
            for _ in range(2):
                await tools.begin()
            assert (await tools.post(BEGIN)).status_code == 429
            assert (await tools.post(BEGIN, caller="bob")).status_code == 200

    asyncio.run(main())


@pytest.mark.parametrize("failing", ["tools", "call"])
def test_a_fault_of_the_sandbox_names_no_engine_to_who_calls_its_tools(failing: str) -> None:
    """Between the opening of a connection and a call the engine may fail, and its own words have its address."""

    class Broken(Counting):
        def fail(self, *_: object) -> Any:
            raise HostFaultError("no engine answers (HTTPConnectionPool(host='10.1.2.3', port=2375): tcp://10.1.2.3)")

    setattr(Broken, failing, Broken.fail)
    executor = SimpleNamespace(tool_session=lambda *_: Broken())
    server = McpToolServer(cast("SandboxExecutor", executor), LimitSettings())

    async def main() -> str:
        caller = ToolCaller(server)
        asked = {**CALL, "method": "tools/list", "params": {}} if failing == "tools" else CALL
        return (await caller.post(asked, await caller.begin())).text

    said = asyncio.run(main())
    server.close()
    assert "no engine answers" in said
    assert "10.1.2.3" not in said
