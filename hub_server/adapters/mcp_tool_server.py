"""The Model Context Protocol over the sandbox: one server object for every address of this hub."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Scope, Send

from hub_server.adapters.sandbox_executor import SandboxExecutor, without_address
from hub_server.errors import HubServerError
from hub_server.ports.tool_server import ServedTools
from hub_server.settings import LimitSettings
from sandbox.errors import HostFaultError, SandboxUnavailableError
from sandbox.tools.tool_session import BlockingToolSession
from schemas.tool import ToolDescription, ToolResult

if TYPE_CHECKING:
    from sandbox.tools.mcp_http import HttpTools


class McpToolServer:
    """Belongs to the event loop that first asks it; its connections end with that loop, or with :meth:`close`."""

    def __init__(self, executor: SandboxExecutor, limits: LimitSettings) -> None:
        self._executor = executor
        self._limits = limits
        self._http_tools: HttpTools | None = None
        self._open: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def answer(self, tools: ServedTools, scope: Scope, receive: Receive, send: Send) -> None:
        from sandbox.tools.mcp_server import ToolOffer  # noqa: PLC0415 -- see _get_http_tools

        http_tools = await self._get_http_tools()
        offer = ToolOffer(
            name=tools.package,
            version=tools.version,
            instructions=tools.summary,
            open_tool_session=self._opener(tools),
            is_stateful=tools.is_stateful,
            owner=tools.caller,
        )
        await http_tools.handle(offer, scope, receive, send)

    def _opener(self, tools: ServedTools) -> Callable[[], "_ForStrangers"]:
        def open_tool_session() -> _ForStrangers:
            try:
                return _ForStrangers(self._executor.tool_session(tools.releases, tools.task, tools.seed))
            except HubServerError as error:
                raise SandboxUnavailableError(error.detail) from error

        return open_tool_session

    async def _get_http_tools(self) -> "HttpTools":
        """Entered in a task of its own: it outlives the request that first asks for it."""
        from sandbox.tools.mcp_http import CallerLimits, HttpTools  # noqa: PLC0415 -- half a second that most hubs never need

        loop = asyncio.get_running_loop()
        if self._http_tools is None or self._loop is not loop or self._open is None or self._open.done():
            limits = CallerLimits(
                connections=self._limits.tool_connections,
                connections_each=self._limits.tool_connections_each,
                idle_seconds=self._limits.tool_idle_seconds,
                request_bytes=self._limits.body_bytes,
            )
            http_tools = HttpTools(limits)
            ready = asyncio.Event()
            self._http_tools, self._loop = http_tools, loop
            self._open = loop.create_task(_keep_open(http_tools, ready))
            await ready.wait()
        return self._http_tools

    def close(self) -> None:
        loop, task = self._loop, self._open
        if loop is not None and task is not None and loop.is_running():
            loop.call_soon_threadsafe(task.cancel)


class _ForStrangers:
    """A tool session whose own faults do not say where the operator has the sandbox's engine."""

    def __init__(self, inner: BlockingToolSession) -> None:
        self._inner = inner

    def tools(self) -> list[ToolDescription]:
        with _without_address():
            return self._inner.tools()

    def opening(self) -> str:
        with _without_address():
            return self._inner.opening()

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        with _without_address():
            return self._inner.call(name, arguments)

    def close(self) -> None:
        with _without_address():
            self._inner.close()


@contextmanager
def _without_address() -> Iterator[None]:
    try:
        yield
    except HostFaultError as error:
        raise SandboxUnavailableError(without_address(str(error))) from error


async def _keep_open(http_tools: "HttpTools", ready: asyncio.Event) -> None:
    async with http_tools:
        ready.set()
        await asyncio.Event().wait()
