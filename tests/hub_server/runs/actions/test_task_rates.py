"""How hard each task of an environment is: what counts as an attempt."""

from typing import Any

from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.runs.actions import TaskRate, list_task_rates
from hub_server.runs.actions.run_rows import GATHER_DELAY_SECONDS
from tests.making.hub import Api, make_package, run_jobs


def report(
    who: Api, kind: str, rows: list[dict[str, Any]], model: str = "m", version: str = "1.0.0", **more: Any
) -> None:
    digest = who.get(f"/api/v1/packages/alice/small-sums/releases/{version}").json()["digest"]
    pin = {"package": "alice/small-sums", "version": version, "digest": digest}
    body = {"name": "r", "model": model, "kind": kind, "packages": [pin], "rewards": {}, "config": {}} | more
    run = who.post("/api/v1/runs", json=body).json()["id"]
    made = [{"step": 0, "phase": "single-turn", "task_id": "t", "response": "5"} | row for row in rows]
    assert who.post(f"/api/v1/runs/{run}/rollouts", json={"items": made}).status_code < 300
    outcome = {
        "environment": "alice/small-sums", "version": version, "digest": digest, "harness": "single-turn",
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
    report(alice, "evaluation", [right], model="hidden", is_private=True)
    assert rates(services) == {}, "nothing is counted while somebody waits"
    services.clock.advance(GATHER_DELAY_SECONDS)
    run_jobs(services)
    assert rates(services) == {"t": TaskRate(2, 4, 2), "u": TaskRate(1, 1, 1)}
    assert rates(services, "2.0.0") == {}, "other releases may have other tasks"
    alice.publish(make_package(version="2.0.0"))
    report(bob, "evaluation", [wrong], model="new", version="2.0.0")
    services.clock.advance(GATHER_DELAY_SECONDS)
    run_jobs(services)
    assert rates(services, "2.0.0") == {"t": TaskRate(0, 1, 1)}
    assert rates(services) == {}, "of the newest major version alone"


def rates(services: Services, version: str = "1.0.0") -> dict[str, TaskRate]:
    with services.database.reading() as session:
        return list_task_rates(UnitOfWork(session, services), "alice/small-sums", version)
