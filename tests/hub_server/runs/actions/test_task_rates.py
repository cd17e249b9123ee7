"""How hard each task of an environment is: what counts as an attempt."""

from typing import Any

from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs.actions import TaskRate, list_task_rates
from schemas.manifest import RewardDeclaration
from tests.making.hub import Api, make_package

DECLARED = {"correct": RewardDeclaration(), "length": RewardDeclaration(role="metric", range=(0, 100))}


def report(who: Api, kind: str, rows: list[dict[str, Any]], model: str = "m") -> None:
    digest = who.get("/api/v1/packages/alice/small-sums/releases/1.0.0").json()["digest"]
    pin = {"package": "alice/small-sums", "version": "1.0.0", "digest": digest}
    body = {"name": "r", "model": model, "kind": kind, "packages": [pin], "rewards": {}, "config": {}}
    run = who.post("/api/v1/runs", json=body).json()["id"]
    made = [{"step": 0, "phase": "single-turn", "task_id": "t", "response": "5"} | row for row in rows]
    assert who.post(f"/api/v1/runs/{run}/rollouts", json={"items": made}).status_code < 300
    outcome = {
        "environment": "alice/small-sums", "version": "1.0.0", "digest": digest, "harness": "single-turn",
        "task_count": 1, "attempts": len(rows), "successes": 0, "pass_rate": 0.0, "tries": 1,
    }  # fmt: skip
    sent = {"state": "finished"} | ({"outcomes": [outcome]} if kind == "evaluation" else {})
    assert who.request("PATCH", f"/api/v1/runs/{run}", json=sent).status_code < 300


def test_judged_attempts_of_evaluations_count_and_nothing_else(alice: Api, bob: Api, services: Services) -> None:
    assert alice.publish(make_package()).status_code == 201
    right, wrong, unjudged = ({"rewards": {"correct": value, "length": 3}} for value in (1.0, 0.0, None))
    failed = {"rewards": {"correct": None}, "error": "timeout"}
    report(alice, "evaluation", [right, wrong, wrong, unjudged, failed, right | {"task_id": "u"}])
    report(bob, "evaluation", [right], model="other")
    report(bob, "evaluation", [wrong | {"package": "bob/elsewhere"}], model="third")
    report(alice, "training", [wrong, wrong])
    with services.database.reading() as session:
        work = UnitOfWork(session, services)
        found = list_task_rates(work, "alice/small-sums", "1.0.0", DECLARED)
        assert found == {"t": TaskRate(2, 4, 2), "u": TaskRate(1, 1, 1)}
        assert list_task_rates(work, "alice/small-sums", "2.0.0", DECLARED) == {}
        assert list_task_rates(work, "alice/small-sums", "1.0.0", {}) == {}
