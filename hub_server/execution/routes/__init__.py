"""Tasks, verdicts, sessions and tools over HTTP."""

from fastapi import APIRouter

from hub_server.execution.routes import api, mcp

router = APIRouter()
for part in (api, mcp):
    router.routes.extend(part.router.routes)  # as they are: see ``hub_server.app``
