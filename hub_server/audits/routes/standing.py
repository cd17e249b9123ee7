"""An account's standing over HTTP."""

from fastapi import APIRouter

from hub_server.audits import actions
from hub_server.web.dependencies import ReadTransaction
from hub_server.web.openapi import PROBLEMS
from schemas.evidence.standing import Standing

router = APIRouter(prefix="/api/v1", tags=["accounts"], responses=PROBLEMS)


@router.get("/accounts/{name}/standing", summary="An account's points, where they come from, and what they allow")
def read_standing(name: str, work: ReadTransaction, cursor: str | None = None, limit: int = 50) -> Standing:
    return actions.get_standing(work, name, cursor=cursor, limit=limit)
