"""Audits, counter-examples, labels and comparisons over HTTP."""

from fastapi import APIRouter

from hub_server.audits.routes import labelling, measuring

router = APIRouter()
for part in (measuring, labelling):
    router.include_router(part.router)
