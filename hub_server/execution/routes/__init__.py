"""Tasks, verdicts, sessions and tools over HTTP."""

from fastapi import APIRouter

from hub_server.execution.routes import api, mcp

router = APIRouter()
for part in (api, mcp):
    router.include_router(part.router)
