"""``verihub mcp``: the tools of packages for any client that speaks the Model Context Protocol."""

import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Annotated, Any

import typer

from hub_client.commands.command_context import CommandContext, open_context
from hub_client.commands.host_header import HostCheck, is_loopback
from hub_client.errors import UsageError
from hub_client.execution.here import load_mcp
from hub_client.tools import ToolSet, gather_tools, open_tool_session
from schemas.hosts import in_url, listen


def mcp(  # noqa: PLR0917 -- one parameter an option
    targets: Annotated[
        list[str],
        typer.Argument(metavar="FOLDER|OWNER/NAME[@VERSION]", help="Project folders (./x) or packages of the hub."),
    ],
    task: Annotated[
        str | None, typer.Option(metavar="ID", help="The task that a session plays.  [default: the first]")
    ] = None,
    seed: Annotated[int, typer.Option(help="The session's seed; the same seed gives the same episode.")] = 0,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP instead of standard streams.")] = False,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="With --http: where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http: the port; 0 picks a free one.")] = 8643,
    list_only: Annotated[bool, typer.Option("--list", help="Print the tools and end.")] = False,
) -> None:
    """Serve the tools of packages to a desktop client or an agent. Calls run in sandbox boxes of this machine.

    A client starts it as `verihub mcp OWNER/NAME`; one connection keeps its tools' state.

    \b
    Examples:
      verihub mcp lecture/arithmetic
      verihub mcp ./roman --list
      verihub mcp lecture/arithmetic --http --port 8643
    """
    serving = load_mcp()
    with open_context() as context:
        tools = gather_tools(context.hub, targets, task=task, seed=seed)
        if list_only:
            _print_tools(context, tools)
            return
        offer = serving.ToolOffer(
            name=tools.name,
            version=tools.packages[0].version,
            instructions=_instructions(context, tools),
            open_tool_session=lambda: open_tool_session(context.hub, tools),
            is_stateful=tools.is_stateful,
        )
        if http:
            _serve_http(context, offer, host, port)
        else:
            serving.run(serving.serve_stdio, offer)


def _print_tools(context: CommandContext, tools: ToolSet) -> None:
    with contextlib.closing(open_tool_session(context.hub, tools)) as tool_session:
        found = tool_session.tools()
    lines = [f"{tool.name}({', '.join(tool.parameters['properties'])})  {tool.summary}" for tool in found]
    names = "\n".join(tool.name for tool in found)
    context.output.result({"tools": [tool.to_mcp() for tool in found]}, human="\n".join(lines), quiet=names)


def _instructions(context: CommandContext, tools: ToolSet) -> str:
    """The instructions that a client may show to its model: the packages, and how the episode begins."""
    if not tools.is_stateful:
        return tools.about
    with contextlib.closing(open_tool_session(context.hub, tools)) as tool_session:
        return f"{tools.about}\n\n{tool_session.opening()}".strip()


def _serve_http(context: CommandContext, offer: Any, host: str, port: int) -> None:
    import uvicorn  # noqa: PLC0415 -- comes with the extra, and only this option needs it
    from starlette.applications import Starlette  # noqa: PLC0415 -- likewise
    from starlette.routing import Route  # noqa: PLC0415 -- likewise

    serving = load_mcp("mcp_http")
    served = serving.HttpTools(serving.CallerLimits(connections_each=serving.CallerLimits.connections), hosts=None)

    class Endpoint:
        """A plain ASGI application, because a route that is not a function receives every HTTP method."""

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await served.handle(offer, scope, receive, send)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with served:
            yield

    listener = _listen(host, port)
    address = f"http://{in_url(host)}:{listener.getsockname()[1]}/mcp"
    if not is_loopback(host):
        context.output.warn(f"everybody who can reach {host} can call these tools, because no token is asked for")
    context.output.remark(f"The tools of {offer.name} are at {address} (Ctrl-C stops it).")
    app = Starlette(routes=[Route("/mcp", Endpoint())], lifespan=lifespan)
    config = uvicorn.Config(
        HostCheck(app, host), log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen(host, port)
    except OSError as error:
        where = f"{in_url(host)}:{port}"
        raise UsageError(f"cannot listen at {where} ({error.strerror}): name another --port or --host") from None
