"""The catalogue over HTTP: the API, the index that pip reads, feeds."""

from fastapi import APIRouter

from hub_server.catalog.routes import api, feeds, simple

router = APIRouter()
for part in (api, simple, feeds):
    router.routes.extend(part.router.routes)  # as they are: see ``hub_server.app``
