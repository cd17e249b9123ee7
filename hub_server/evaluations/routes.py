"""Benchmarks' results and reports over HTTP."""

from fastapi import APIRouter

from hub_server.evaluations import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.idempotency import IdempotencyKeyDep
from hub_server.web.openapi import PROBLEMS
from schemas.benchmark import BenchmarkReport, BenchmarkResults, ResultsCreate
from schemas.page import Page

router = APIRouter(prefix="/api/v1/benchmarks", tags=["evaluations"], responses=PROBLEMS)


@router.post("/{owner}/{name}/releases/{version}/results", status_code=201, summary="Send what a model did")
def submit_results(
    owner: str, name: str, version: str, body: ResultsCreate, work: WriteTransaction, key: IdempotencyKeyDep
) -> BenchmarkResults:
    return key.answer(work, BenchmarkResults, lambda: actions.submit_results(work, f"{owner}/{name}", version, body))


@router.get("/{owner}/{name}/releases/{version}/results", summary="Submissions, newest first")
def list_results(
    owner: str, name: str, version: str, work: ReadTransaction, cursor: str | None = None, limit: int = 50
) -> Page[BenchmarkResults]:
    return actions.list_results(work, f"{owner}/{name}", version, cursor=cursor, limit=limit)


@router.get(
    "/{owner}/{name}/releases/{version}/report",
    summary="Leaderboard, hardness, separability, diversity, what the harness changes",
)
def read_report(owner: str, name: str, version: str, work: ReadTransaction) -> BenchmarkReport:
    return actions.get_report(work, f"{owner}/{name}", version)
