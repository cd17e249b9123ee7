"""Tools over the Model Context Protocol, with the protocol's own library: one server of tools, on standard streams.

Each connection has one tool session, so its tools keep their state. Over HTTP: :mod:`sandbox.tools.mcp_http`.
"""

import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar
from mcp import MCPError
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from sandbox.errors import SandboxError
from sandbox.tools.tool_session import UnknownToolError
from schemas.tool import ToolDescription, ToolResult

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
_THREADS = 64  # chosen: calls of tools that run at the same time, each of which blocks one


class AnyToolSession(Protocol):
    """What is served needs these methods; :class:`~sandbox.tools.tool_session.BlockingToolSession` has them."""

    def tools(self) -> list[ToolDescription]: ...
    def opening(self) -> str: ...
    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class ToolOffer:
    """What one address serves. ``open_tool_session`` blocks; ``owner`` is whose connection it will be."""

    name: str
    version: str
    instructions: str
    open_tool_session: Callable[[], AnyToolSession]
    is_stateful: bool = False
    owner: str = ""


async def serve_stdio(offer: ToolOffer) -> None:
    """Serve one client on this process's standard streams until it hangs up."""
    tool_session = await in_thread(offer.open_tool_session)

    @contextlib.asynccontextmanager
    async def use_tools(_: object) -> AsyncIterator[AnyToolSession]:
        yield tool_session

    server = make_server(use_tools, lambda _: offer, offer.name, offer.version)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        with anyio.CancelScope(shield=True):
            await in_thread(tool_session.close)


def run(work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
    """Run one of these coroutines in an event loop of its own."""
    anyio.run(work, *arguments)


UseTools = Callable[[ServerRequestContext[Any, Any]], contextlib.AbstractAsyncContextManager[AnyToolSession]]


def make_server(
    use_tools: UseTools,
    offer_of: Callable[[ServerRequestContext[Any, Any]], ToolOffer],
    name: str = "verihub",
    version: str = "",
) -> "Server[Any]":
    """A server of the protocol. ``use_tools`` gives a request its tool session, ``offer_of`` what it is offered."""

    async def list_tools(context: ServerRequestContext[Any, Any], _: PaginatedRequestParams | None) -> ListToolsResult:
        async with protocol_errors(), use_tools(context) as tool_session:
            tools = await in_thread(tool_session.tools)
        return ListToolsResult.model_validate({"tools": [tool.to_mcp() for tool in tools]})

    async def call_tool(context: ServerRequestContext[Any, Any], wanted: CallToolRequestParams) -> CallToolResult:
        async with protocol_errors(), use_tools(context) as tool_session:
            result = await in_thread(lambda: tool_session.call(wanted.name, dict(wanted.arguments or {})))
        return CallToolResult.model_validate(result.to_mcp())

    async def introduce(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Set the package's name and version in the answer to ``initialize``: one server answers for all packages."""
        answer = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(answer, dict):
            offer = offer_of(ctx)
            known = {"name": offer.name, "version": offer.version}
            if "serverInfo" in answer:
                answer = {**answer, "serverInfo": {**answer["serverInfo"], **known}}
            return {**answer, "instructions": offer.instructions}
        return answer

    server: Server[Any] = Server(
        name,
        version=version,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda _: None,  # no schema of ours maps arguments to headers
    )
    server.middleware.append(introduce)
    return server


@contextlib.asynccontextmanager
async def protocol_errors() -> AsyncIterator[None]:
    """Within the block, faults of the sandbox become errors of the protocol."""
    try:
        yield
    except UnknownToolError as error:
        raise MCPError(code=INVALID_PARAMS, message=str(error)) from None
    except SandboxError as error:
        raise MCPError(code=INTERNAL_ERROR, message=str(error)) from None
    except MCPError:
        raise
    except Exception:  # noqa: BLE001 -- its words are not for strangers
        _log.exception("a request for tools failed")
        raise MCPError(code=INTERNAL_ERROR, message="the server itself failed; its log says more") from None


_threads: RunVar[anyio.CapacityLimiter] = RunVar("verihub-tools")


def in_thread(work: Callable[[], _Result]) -> Awaitable[_Result]:
    """Run a call of a tool session in a thread, because it blocks.

    If the caller stops waiting, the call ends by its own time limit.
    """
    try:
        limiter = _threads.get()
    except LookupError:  # one for each event loop; not the loop's own, which a hub's routes live on
        limiter = anyio.CapacityLimiter(_THREADS)
        _threads.set(limiter)
    return anyio.to_thread.run_sync(work, limiter=limiter, abandon_on_cancel=True)
