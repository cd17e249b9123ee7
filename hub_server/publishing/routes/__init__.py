"""Publishing over HTTP: wheels and their parts come in, releases go out."""

from fastapi import APIRouter

from hub_server.publishing.routes import publish, uploads

router = APIRouter()
for part in (publish, uploads):
    router.routes.extend(part.router.routes)  # as they are: see ``hub_server.app``
