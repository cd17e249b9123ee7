"""The Model Context Protocol on standard streams."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter

from sandbox.tools import mcp_server
from sandbox.tools.mcp_server import ToolOffer, serve_stdio
from sandbox.tools.tool_session import UnknownToolError
from schemas.tool import ToolDescription, ToolResult


def request(method: str, params: Any = None, ident: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": ident, "method": method, "params": params if params is not None else {}}


BEGIN = request(
    "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
)
BEGUN = {"jsonrpc": "2.0", "method": "notifications/initialized"}
COUNT = request("tools/call", {"name": "count", "arguments": {}}, 2)


class Counting:
    """A tool session whose one tool counts its calls; ``fault`` is raised instead."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.calls = itertools.count(1)
        self.closes = 0
        self.fault = fault

    def tools(self) -> list[ToolDescription]:
        return [ToolDescription(name="count", description="Count.", parameters={"type": "object"})]

    def opening(self) -> str:
        return ""

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        if self.fault is not None:
            raise self.fault
        if name != "count":
            raise UnknownToolError(f"there is no tool {name!r}; there is: count")
        return ToolResult(text=str(next(self.calls)))

    def close(self) -> None:
        self.closes += 1


def test_one_client_on_standard_streams_is_served_until_it_hangs_up(monkeypatch: pytest.MonkeyPatch) -> None:
    tool_session = Counting()
    offer = ToolOffer("al/counting", "1.0.0", "Counts.", lambda: tool_session)

    def message(body: dict[str, Any]) -> SessionMessage:
        parsed: JSONRPCMessage = jsonrpc_message_adapter.validate_python(body)
        return SessionMessage(parsed)

    async def run() -> None:
        to_server, incoming = anyio.create_memory_object_stream[Any](8)
        outgoing, from_server = anyio.create_memory_object_stream[Any](8)

        @asynccontextmanager
        async def streams() -> AsyncIterator[Any]:
            async with incoming, outgoing:
                yield incoming, outgoing

        monkeypatch.setattr(mcp_server, "stdio_server", streams)
        serving = asyncio.ensure_future(serve_stdio(offer))
        said: list[Any] = []
        async with from_server, to_server:
            await to_server.send(message(BEGIN))
            said.append((await from_server.receive()).message)
            await to_server.send(ValueError("a line that is no JSON"))
            await to_server.send(message(BEGUN))
            for ident in (2, 3):
                await to_server.send(message({**COUNT, "id": ident}))
                said.append((await from_server.receive()).message)
        with contextlib.suppress(anyio.BrokenResourceError):
            await serving
        assert said[0].result["serverInfo"]["name"] == "al/counting"
        assert [answer.result["content"][0]["text"] for answer in said[1:]] == ["1", "2"]

    asyncio.run(run())
    assert tool_session.closes == 1
