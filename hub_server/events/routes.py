"""Events over HTTP."""

from fastapi import APIRouter, Response

from hub_server.events import actions
from hub_server.web.dependencies import ReadTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.events import EventPage

router = APIRouter(prefix="/api/v1", tags=["events"], responses=PROBLEMS)


@router.get("/events", summary="Events after a number, in order")
def list_events(work: ReadTransaction, response: Response, since: int = 0, limit: int = 100) -> EventPage:
    response.headers["Cache-Control"] = "no-store"
    return actions.list_events(work, since, limit)


@router.get("/owners/{owner}/events", summary="Events of what an owner has, private ones too, for itself")
def list_own_events(
    owner: str, work: ReadTransaction, response: Response, since: int = 0, limit: int = 100
) -> EventPage:
    response.headers["Cache-Control"] = "no-store"
    return actions.list_own_events(work, owner, since, limit)
