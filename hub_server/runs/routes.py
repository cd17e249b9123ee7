"""Runs over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from hub_server.runs import actions
from hub_server.web.dependencies import ReadTransaction, WriteTransaction
from hub_server.web.idempotency import IdempotencyKeyDep
from hub_server.web.openapi import PROBLEMS
from schemas.page import Page
from schemas.run import Logged, Metrics, RolloutBatch, RolloutRow, Run, RunCreate, RunFilter, RunSort, RunUpdate
from schemas.run_comparison import ComparedRuns

_MOST_NAMED = 20
"""So many are looked at before there are too many."""
router = APIRouter(prefix="/api/v1", tags=["runs"], responses=PROBLEMS)


@router.post("/runs", status_code=201, summary="Start a run")
def create_run(body: RunCreate, work: WriteTransaction, key: IdempotencyKeyDep) -> Run:
    return key.answer(work, Run, lambda: actions.create_run(work, body))


@router.get("/runs", summary="Runs, newest first, or those with the highest last reward")
def list_runs(
    work: ReadTransaction,
    wanted: Annotated[RunFilter, Depends()],
    sort: RunSort = RunSort.NEWEST,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[Run]:
    return actions.list_runs(work, wanted, sort=sort, cursor=cursor, limit=limit)


@router.get("/runs/compare", summary="Two to four runs side by side, with differences and their intervals")
def compare_runs(
    work: ReadTransaction, run: Annotated[list[str], Query(min_length=1, max_length=_MOST_NAMED)]
) -> ComparedRuns:
    return actions.compare_runs(work, run)


@router.get("/runs/{run_id}", summary="A run")
def read_run(run_id: str, work: ReadTransaction) -> Run:
    return actions.get_run(work, run_id)


@router.patch("/runs/{run_id}", summary="Change a run's state, summary or note")
def update_run(run_id: str, body: RunUpdate, work: WriteTransaction) -> Run:
    return actions.update_run(work, run_id, body)


@router.get("/runs/{run_id}/metrics", summary="Points of a run, by step; at most 2,000, evenly thinned")
def read_metrics(run_id: str, work: ReadTransaction) -> Metrics:
    return actions.get_metrics(work, run_id)


@router.post("/runs/{run_id}/metrics", summary="Write metrics; a step that is sent again replaces the old one")
def log_metrics(run_id: str, body: Metrics, work: WriteTransaction) -> Logged:
    actions.log_metrics(work, run_id, body.items)
    return Logged(count=len(body.items))


@router.get("/runs/{run_id}/rollouts", summary="Rollouts in the order they came")
def list_rollouts(
    run_id: str,
    work: ReadTransaction,
    phase: str | None = None,
    step: int | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[RolloutRow]:
    return actions.list_rollouts(work, run_id, phase=phase, step=step, cursor=cursor, limit=limit)


@router.get("/runs/{run_id}/rollouts/{number}", summary="One rollout")
def read_rollout(run_id: str, number: int, work: ReadTransaction) -> RolloutRow:
    return actions.get_rollout(work, run_id, number)


@router.post("/runs/{run_id}/rollouts", summary="Append rollouts")
def log_rollouts(run_id: str, body: RolloutBatch, work: WriteTransaction, key: IdempotencyKeyDep) -> Logged:
    def log() -> Logged:
        actions.log_rollouts(work, run_id, body.items)
        return Logged(count=len(body.items))

    return key.answer(work, Logged, log)
