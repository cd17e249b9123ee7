"""Audits, counter-examples, labels and comparisons over HTTP."""

from fastapi import APIRouter

from hub_server.audits.routes import audits, comparisons, labels, standing

router = APIRouter()
for part in (audits, labels, comparisons, standing):
    router.routes.extend(part.router.routes)  # as they are: see ``hub_server.app``
