"""Benchmarks over HTTP: what a stranger's body may hold, and a retry that makes nothing twice."""

import pytest

from hub_server.app import create_app
from tests.hub_server.evaluations.ladders import results
from tests.making.action_driver import ActionDriver
from tests.making.hub import PASSWORD, Api

PATH = "/api/v1/benchmarks/alice/bench/releases/1.0.0"


@pytest.fixture
def carol(bench: ActionDriver) -> Api:
    api = Api(create_app(bench.services))
    made = api.post("/api/v1/accounts", json={"name": "carol", "email": "c@example.org", "password": PASSWORD})
    return api.as_token(made.json()["token"])


def test_bodies_that_no_report_can_hold_are_refused_and_none_is_a_fault(carol: Api) -> None:
    body = results().model_dump(mode="json")
    task = {"task_id": "t1", "attempts": 1, "successes": 1}
    changes = (
        {"outcomes": []}, {"outcomes": [{**task, "attempts": 0}]}, {"outcomes": [{**task, "successes": 2}]},
        {"outcomes": [{**task, "successes": 10**30}]}, {"outcomes": [task, task]}, {"outcomes": [{**task, "task_id": ""}]},
        {"environment_version": "latest"}, {"environment": "../x"}, {"model": ""}, {"failed": -1}, {"extra": 1},
    )  # fmt: skip
    for change in changes:
        refused = carol.post(f"{PATH}/results", json={**body, **change})
        assert refused.status_code == 422, change
    raw = b'{"environment": "alice/small-sums", "environment_version": "1.0.0", "model": "\\ud800", "outcomes": [{"task_id": "t1", "successes": 1}]}'
    assert carol.post(f"{PATH}/results", content=raw, headers={"Content-Type": "application/json"}).status_code == 422
    assert carol.get(f"{PATH}/results").json()["items"] == []


def test_a_retry_with_the_same_key_is_one_submission(carol: Api) -> None:
    body, key = results().model_dump(mode="json"), {"Idempotency-Key": "k"}
    first, again = (carol.post(f"{PATH}/results", json=body, headers=key) for _ in range(2))
    assert (first.status_code, first.json()) == (201, again.json())
    assert len(carol.get(f"{PATH}/results").json()["items"]) == 1


def test_results_are_sent_by_accounts_and_read_by_all(carol: Api) -> None:
    anybody = carol.as_token(None)
    assert anybody.post(f"{PATH}/results", json=results().model_dump(mode="json")).status_code == 401
    assert anybody.get(f"{PATH}/results").status_code == 200
    missing = anybody.get(f"{PATH}/report")
    assert (missing.status_code, missing.json()["code"]) == (404, "benchmark_not_found")
    assert anybody.get("/api/v1/benchmarks/alice/small-sums/releases/1.0.0/report").status_code == 404
    assert anybody.get(f"{PATH}/results?limit=0").status_code == 422
