"""Audits, counter-examples, labels and comparisons over HTTP."""

from fastapi import APIRouter

from hub_server.audits.routes import audits, comparisons, labels

router = APIRouter()
for part in (audits, labels, comparisons):
    router.routes.extend(part.router.routes)  # as they are: see ``hub_server.app``
