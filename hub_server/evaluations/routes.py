"""Benchmarks' results and reports over HTTP."""

from fastapi import APIRouter

from hub_server.evaluations import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.idempotency import IdempotencyKeyDep
from hub_server.web.openapi import PROBLEMS
from schemas.benchmark import BenchmarkReport, BenchmarkResults, ResultsCreate
from schemas.package import PackageDetail
from schemas.page import Page

router = APIRouter(prefix="/api/v1", tags=["evaluations"], responses=PROBLEMS)


@router.post("/benchmarks/{owner}/{name}/releases/{version}/results", status_code=201, summary="Send what a model did")
def submit_results(
    owner: str, name: str, version: str, body: ResultsCreate, work: WriteTransaction, key: IdempotencyKeyDep
) -> BenchmarkResults:
    return key.answer(work, BenchmarkResults, lambda: actions.submit_results(work, f"{owner}/{name}", version, body))


@router.get("/benchmarks/{owner}/{name}/releases/{version}/results", summary="Submissions, newest first")
def list_results(
    owner: str, name: str, version: str, work: ReadTransaction, cursor: str | None = None, limit: int = 50
) -> Page[BenchmarkResults]:
    return actions.list_results(work, f"{owner}/{name}", version, cursor=cursor, limit=limit)


@router.get(
    "/benchmarks/{owner}/{name}/releases/{version}/report",
    summary="Leaderboard, hardness, separability, diversity, what the harness changes",
)
def read_report(owner: str, name: str, version: str, work: ReadTransaction) -> BenchmarkReport:
    return actions.get_report(work, f"{owner}/{name}", version)


@router.post("/packages/{owner}/{name}/public", summary="Show a private package to everybody, for good")
def make_public(owner: str, name: str, work: WriteTransaction) -> PackageDetail:
    return actions.make_public(work, f"{owner}/{name}")
