"""Comparisons of verifiers, and near-duplicates, over HTTP."""

from fastapi import APIRouter

from hub_server.audits import actions
from hub_server.audits.errors import ComparisonNotFoundError
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.idempotency import IdempotencyKeyDep
from hub_server.web.openapi import PROBLEMS
from schemas.comparison import ComparisonRecord, ComparisonRequest, Neighbours

router = APIRouter(prefix="/api/v1", tags=["comparisons"], responses=PROBLEMS)


@router.post("/comparisons", status_code=202, summary="Compare two verifiers")
def request_comparison(body: ComparisonRequest, work: WriteTransaction, key: IdempotencyKeyDep) -> ComparisonRecord:
    """One that was made before, or is under way, is returned instead, unless ``again``."""
    return key.answer(work, ComparisonRecord, lambda: actions.request_comparison(work, body))


@router.get("/comparisons", summary="The newest comparison of two verifiers, whichever way round")
def find_comparison(left: str, right: str, work: ReadTransaction) -> ComparisonRecord:
    found = actions.find_comparison(work, left, right)
    if found is None:
        raise ComparisonNotFoundError(f"{left} and {right} were not compared yet: POST /comparisons asks for it.")
    return found


@router.get("/comparisons/{comparison_id}", summary="One comparison")
def read_comparison(comparison_id: str, work: ReadTransaction) -> ComparisonRecord:
    return actions.get_comparison(work, comparison_id)


@router.get(
    "/packages/{owner}/{name}/releases/{version}/neighbours", summary="Verifiers that judge, or are written, alike"
)
def list_neighbours(owner: str, name: str, version: str, work: ReadTransaction) -> Neighbours:
    return actions.list_neighbours(work, f"{owner}/{name}", version)
