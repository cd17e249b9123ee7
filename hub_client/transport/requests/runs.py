"""Training and evaluation runs: their metrics and rollouts."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from hub_client.transport.requests.call import ApiCall, nothing
from schemas.page import Page
from schemas.run import MetricPoint, Metrics, RolloutRow, Run, RunCreate, RunUpdate
from schemas.run_comparison import ComparedRuns


def _path(run_id: str) -> str:
    return f"/runs/{quote(run_id, safe='')}"


def create_run(request: RunCreate, key: str = "") -> ApiCall[Run]:
    """Start a run. Sending it again with the same ``key`` (after a lost answer) starts no second one."""
    call = ApiCall.send("POST", "/runs", Run.read, request)
    return replace(call, headers={**call.headers, "Idempotency-Key": key}) if key else call


def update_run(run_id: str, change: RunUpdate) -> ApiCall[Run]:
    """Change a run's state, note or summary."""
    return replace(ApiCall.send("PATCH", _path(run_id), Run.read, change), is_harmless_twice=True)


def get_run(run_id: str) -> ApiCall[Run]:
    """One run."""
    return ApiCall.get(_path(run_id), Run.read)


def compare_runs(run_ids: Sequence[str]) -> ApiCall[ComparedRuns]:
    """Two to four runs side by side."""
    return ApiCall.get("/runs/compare", ComparedRuns.read, run=list(run_ids))


def list_runs(cursor: str | None = None) -> ApiCall[Page[Run]]:
    """Runs, newest first."""
    return ApiCall.get("/runs", Page[Run].read, cursor=cursor)


def log_metrics(run_id: str, points: Sequence[MetricPoint]) -> ApiCall[None]:
    """Append points; sending a step again replaces it."""
    body = {"items": [point.model_dump(mode="json") for point in points]}
    return replace(ApiCall.send("POST", f"{_path(run_id)}/metrics", nothing, body), is_harmless_twice=True)


def get_metrics(run_id: str) -> ApiCall[Metrics]:
    """All points of a run, by step."""
    return ApiCall.get(f"{_path(run_id)}/metrics", Metrics.read)


def log_rollouts(run_id: str, rows: Sequence[RolloutRow]) -> ApiCall[None]:
    """Append rollouts. Sending the same rows again (after a lost answer) does not double them."""
    body = {"items": [row.model_dump(mode="json") for row in rows]}
    call = ApiCall.send("POST", f"{_path(run_id)}/rollouts", nothing, body)
    # The run's id is part of the key: two runs from one seed may send the same rows, and both must be stored.
    key = hashlib.sha256(call.path.encode() + b"\n" + (call.content or b"")).hexdigest()
    return replace(call, headers={**call.headers, "Idempotency-Key": key})


def get_rollout(run_id: str, number: int) -> ApiCall[RolloutRow]:
    """One rollout of a run, by the hub's number."""
    return ApiCall.get(f"{_path(run_id)}/rollouts/{number}", RolloutRow.read)


def list_rollouts(run_id: str, cursor: str | None = None, *, limit: int = 20) -> ApiCall[Page[RolloutRow]]:
    """A run's rollouts, in the order they came. ``limit``: how many at once, at most 100."""
    return ApiCall.get(f"{_path(run_id)}/rollouts", Page[RolloutRow].read, cursor=cursor, limit=limit)
