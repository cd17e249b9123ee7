"""Audits, counter-examples, labels and comparisons over HTTP."""

from fastapi import APIRouter

from hub_server.audits.routes import comparing, labelling, measuring

router = APIRouter()
for part in (measuring, labelling, comparing):
    router.include_router(part.router)
