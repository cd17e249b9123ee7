"""Runs over HTTP: bodies of strangers' trainers, retries with a key, and what each status means."""

import pytest

from tests.making.hub import Api

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
JSON = {"Content-Type": "application/json"}
PIN = {"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:" + "0" * 64}
CHANGE = {
    "before": 0.2, "before_low": 0.1, "before_high": 0.3, "after": 0.5, "after_low": 0.4, "after_high": 0.6, "tasks": 50,
}  # fmt: skip


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


@pytest.mark.parametrize(
    "change",
    [
        {"after": 1.7e308, "after_high": 1.7e308},  # two such runs: their difference was infinite, and the page a fault
        {"before": -1e101, "before_low": -1e101},
        {"after": 0.7},
        {"before_low": 0.3, "before_high": 0.1},
    ],
)
def test_a_mean_outside_its_interval_or_beyond_all_numbers_is_refused(alice: Api, run: str, change: dict) -> None:
    answer = alice.request("PATCH", run, json={"summary": {"correct": {**CHANGE, **change}}})
    assert answer.status_code == 422
    assert "a mean lies in its interval" in answer.json()["detail"]
    assert alice.get(run).json()["summary"] == {}


def test_a_run_that_would_make_every_list_slow_is_refused(alice: Api, run: str) -> None:
    """Comparing four runs with 60,000 rewards took 9 s of CPU, for anybody who asked."""
    many = {f"reward{number}": CHANGE for number in range(3000)}
    answers = [
        alice.request("PATCH", run, json={"summary": many}),
        alice.post("/api/v1/runs", json={"name": "r", "config": {"text": "ü" * 2**17}}),
    ]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert all("the limit is 262144" in answer.json()["detail"] for answer in answers)


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


def test_runs_are_compared_as_on_the_page(alice: Api, api: Api) -> None:
    better = {**CHANGE, "after": 0.9, "after_low": 0.85, "after_high": 0.93}
    ids = []
    for summary in (CHANGE, better):
        ids.append(alice.post("/api/v1/runs", json={"name": "grpo", "packages": [PIN]}).json()["id"])
        alice.request("PATCH", f"/api/v1/runs/{ids[-1]}", json={"summary": {"correct": summary}})
    found = api.get("/api/v1/runs/compare", params={"run": ids}).json()
    assert [one["id"] for one in found["runs"]] == ids
    (row,) = found["rows"]
    assert [side["letter"] for side in row["sides"]] == ["A", "B"]
    assert row["sides"][0]["difference"] is None
    assert row["sides"][1]["difference"]["value"] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("more", "status"), [([], 422), (["a", "b", "c", "d"], 422), (["gone"], 404), (["x"] * 30, 422)]
)
def test_neither_one_run_nor_five_nor_one_that_nobody_sees_is_compared(
    alice: Api, run: str, more: list[str], status: int
) -> None:
    ids = [run.rpartition("/")[2], *more]
    assert alice.get("/api/v1/runs/compare", params={"run": ids}).status_code == status


def test_a_private_run_is_compared_for_its_owner_alone(alice: Api, bob: Api, run: str) -> None:
    hidden = alice.post("/api/v1/runs", json={"name": "r", "is_private": True}).json()["id"]
    params = {"run": [run.rpartition("/")[2], hidden]}
    assert [who.get("/api/v1/runs/compare", params=params).status_code for who in (alice, bob)] == [200, 404]
