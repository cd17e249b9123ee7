"""Runs over HTTP: bodies of strangers' trainers, retries with a key, and what each status means."""

import pytest

from tests.making.hub import Api

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def run(alice: Api) -> str:
    return f"/api/v1/runs/{alice.post('/api/v1/runs', json={'name': 'grpo'}).json()['id']}"


def test_bodies_that_no_run_can_hold_are_refused_and_none_is_a_fault(alice: Api, run: str) -> None:
    long = b"[" * 5000 + b"]" * 5000
    bodies = (
        ("/api/v1/runs", b'{"name": "r", "config": {"x": "\\ud800"}}'),
        ("/api/v1/runs", b'{"name": "r", "config": {"x": ' + b"9" * 5000 + b"}}"),
        ("/api/v1/runs", b'{"name": "r", "config": {"x": ' + long + b"}}"),
        ("/api/v1/runs", b'{"name": ""}'),
        ("/api/v1/runs", b'{"name": "r", "owner": "bob"}'),
        (f"{run}/metrics", b'{"items": [{"step": 1, "values": {"m": NaN}}]}'),
        (f"{run}/metrics", b'{"items": [{"step": 1, "values": {"m": 1e999}}]}'),
        (f"{run}/metrics", b'{"items": [{"step": 1.5, "values": {}}]}'),
        (f"{run}/metrics", b'{"items": [{"step": 1, "at": "2026-01-01T00:00:00", "values": {}}]}'),
        (f"{run}/metrics", b'{"items": [{"step": 1, "at": "0001-01-01T00:00:00+14:00", "values": {}}]}'),
        (f"{run}/rollouts", b'{"items": [{"step": 1, "task_id": "t", "response": "\\udfff", "rewards": {}}]}'),
        (f"{run}/rollouts", b'{"items": [{"step": 1, "task_id": "t", "response": null, "rewards": {}}]}'),
    )
    for path, body in bodies:
        answer = alice.post(path, content=body, headers=JSON)
        assert answer.status_code in (400, 422), (path, body[:80], answer.text)
    assert alice.get(run).json()["last_step"] is None
    assert len(alice.get("/api/v1/runs").json()["items"]) == 1


def test_a_retry_with_the_same_key_makes_no_second_run_and_appends_nothing_twice(alice: Api, run: str) -> None:
    key = {"Idempotency-Key": "k-1"}
    first = alice.post("/api/v1/runs", json={"name": "r"}, headers=key)
    again = alice.post("/api/v1/runs", json={"name": "r"}, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["id"] == again.json()["id"]
    body = {"items": [{"step": 1, "task_id": "t", "response": "x", "rewards": {"correct": 1}}]}
    for _ in range(2):
        sent = alice.post(f"{run}/rollouts", json=body, headers={"Idempotency-Key": "k-2"})
        assert sent.json() == {"count": 1}
    assert len(alice.get(f"{run}/rollouts").json()["items"]) == 1


def test_reading_needs_no_account_and_writing_does(api: Api, bob: Api, run: str) -> None:
    for path in (run, f"{run}/metrics", f"{run}/rollouts"):
        assert api.get(path).status_code == 200
    for who, status in ((api, 401), (bob, 403)):
        assert who.request("PATCH", run, json={"note": "x"}).status_code == status
        assert who.post(f"{run}/metrics", json={"items": []}).status_code == status
        assert who.post(f"{run}/rollouts", json={"items": []}).status_code == status


def test_what_is_not_there_is_not_found(api: Api, run: str) -> None:
    for path in ("/api/v1/runs/none", "/api/v1/runs/none/metrics", f"{run}/rollouts/1", f"{run}/rollouts/{10**30}"):
        answer = api.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "run_not_found"), path
    assert api.get(f"{run}/rollouts/first").status_code == 422
