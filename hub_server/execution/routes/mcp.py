"""A release's tools over the Model Context Protocol (streamable HTTP)."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hub_server.execution import actions
from hub_server.ports.tool_server import ServedTools, ToolServer
from hub_server.web.admission import run_code
from hub_server.web.dependencies import TransactionsDep
from hub_server.web.openapi import PROBLEMS

router = APIRouter(prefix="/api/v1", tags=["execution"], responses=PROBLEMS)


class ToolsResponse(Response):
    """Passes the request to the protocol's own library, which reads and answers it."""

    def __init__(self, server: ToolServer, tools: ServedTools) -> None:
        super().__init__()
        self._server = server
        self._tools = tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._server.answer(self._tools, scope, receive, send)


@router.api_route(
    "/packages/{owner}/{name}/releases/{version}/mcp",
    methods=["GET", "POST", "DELETE"],
    response_class=Response,
    response_model=None,
    summary="Tools over the Model Context Protocol",
    include_in_schema=False,  # the protocol describes itself: server/discover, tools/list
)
async def connect(  # noqa: PLR0917 -- FastAPI fills them by name
    owner: str,
    name: str,
    version: str,
    request: Request,
    transactions: TransactionsDep,
    task: Annotated[str | None, Query(description="The id of a session's task; absent: the first.")] = None,
    seed: int = 0,
) -> Response:
    def find() -> tuple[ServedTools, actions.TaskRange | None]:
        with transactions.reading() as work:
            return actions.served_tools(work, f"{owner}/{name}", version, task_id=task, seed=seed)

    services = transactions.services
    tools, stream = await run_in_threadpool(find)
    if stream is not None:
        finish = partial(actions.with_first_task, services, tools, stream)
        tools = await (run_in_threadpool(finish) if stream.generator is None else run_code(request, finish))
    return ToolsResponse(services.tools, tools)
