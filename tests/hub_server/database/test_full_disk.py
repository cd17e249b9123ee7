"""A disk that fills up while the hub writes: said as 503, nothing half-written, and all that was there can be read."""

import shutil
from pathlib import Path

import pytest

from tests.making.hub import Api


@pytest.fixture
def database_url(sqlite_template: Path, small_disk: Path) -> str:
    path = small_disk / "hub.sqlite3"
    shutil.copy(sqlite_template, path)
    return f"sqlite:///{path}"


def test_a_full_disk_refuses_whole_writes_and_keeps_reading(alice: Api) -> None:
    run = alice.post("/api/v1/runs", json={"name": "long"}).json()["id"]
    row = {"step": 1, "task_id": "t", "response": "x" * 10_000, "rewards": {"correct": 1.0}}
    kept = 0
    for _ in range(60):
        answer = alice.post(f"/api/v1/runs/{run}/rollouts", json={"items": [row] * 10})
        if answer.status_code != 200:
            break
        kept += 10
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
    assert alice.get(f"/api/v1/runs/{run}").status_code == 200
    counts = alice.get(f"/api/v1/runs/{run}/rollouts?limit=1").json()["facets"]["step"]
    assert counts == {"1": kept}
    assert kept > 0
