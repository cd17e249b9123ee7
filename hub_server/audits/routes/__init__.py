"""Audits, counter-examples, labels and comparisons over HTTP."""

from fastapi import APIRouter

from hub_server.audits.routes import audits as measuring
from hub_server.audits.routes import comparisons as comparing
from hub_server.audits.routes import labels as labelling

router = APIRouter()
for part in (measuring, labelling, comparing):
    router.include_router(part.router)
