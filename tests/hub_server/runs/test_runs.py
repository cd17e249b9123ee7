"""Runs: what a trainer writes comes back as it was, twice sent or not."""

import pytest

from hub_server.runs import queries
from tests.making.hub import Api

RUN = {
    "name": "first",
    "model": "tiny",
    "recipe": "dapo",
    "packages": [{"package": "alice/small-sums", "version": "1.0.0", "digest": "sha256:" + "0" * 64}],
    "rewards": {"correct": {"description": "right"}},
    "config": {"steps": 3, "nested": {"a": [1, None]}},
}


def start(api: Api, **more: object) -> str:
    answer = api.post("/api/v1/runs", json={**RUN, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def point(step: int, **values: float | None) -> dict:
    return {"step": step, "values": values}


def row(step: int, **more: object) -> dict:
    return {"step": step, "task_id": "t1", "response": "2", "rewards": {"correct": 1.0}, **more}


def test_a_run_comes_back_as_it_was_started(alice: Api, api: Api) -> None:
    run = api.get(f"/api/v1/runs/{start(alice)}").json()
    assert (run["owner"], run["state"], run["config"]) == ("alice", "running", RUN["config"])
    assert run["packages"][0]["package"] == "alice/small-sums"
    assert run["last_step"] is None


def test_metrics_are_kept_by_step_and_sending_again_replaces(alice: Api) -> None:
    run_id = start(alice)
    alice.post(f"/api/v1/runs/{run_id}/metrics", json={"items": [point(2, reward=0.2), point(1, reward=0.1)]})
    alice.post(f"/api/v1/runs/{run_id}/metrics", json={"items": [point(2, reward=0.25, entropy=None)]})
    items = alice.get(f"/api/v1/runs/{run_id}/metrics").json()["items"]
    assert [(item["step"], item["values"]) for item in items] == [
        (1, {"reward": 0.1}),
        (2, {"reward": 0.25, "entropy": None}),
    ]
    assert alice.get(f"/api/v1/runs/{run_id}").json()["last_step"] == 2


def test_runs_are_listed_by_their_last_reward_page_by_page(alice: Api) -> None:
    rewards = {start(alice): reward for reward in (0.25, 0.75, None, 0.75, -1.0)}
    for run_id, reward in rewards.items():
        alice.post(f"/api/v1/runs/{run_id}/metrics", json={"items": [point(1, reward=reward)]})
    found, cursor = [], ""
    while cursor is not None:
        page = alice.get(f"/api/v1/runs?sort=reward&limit=2{cursor and f'&cursor={cursor}'}").json()
        found += [(run["id"], run["last_reward"]) for run in page["items"]]
        cursor = page["next"]
    assert [reward for _, reward in found] == [0.75, 0.75, 0.25, -1.0]
    assert len(dict(found)) == 4, "each once, and none without a reward"
    by_time = alice.get("/api/v1/runs?limit=2").json()["next"]
    assert alice.get(f"/api/v1/runs?sort=reward&cursor={by_time}").status_code == 422, "a cursor of another order"


def test_rollouts_page_in_order_and_filter(alice: Api) -> None:
    run_id = start(alice)
    rows = [row(1), row(2, phase="eval_after"), row(3, response="nul \x00 and \U0001f986")]
    assert alice.post(f"/api/v1/runs/{run_id}/rollouts", json={"items": rows}).json() == {"count": 3}
    first = alice.get(f"/api/v1/runs/{run_id}/rollouts?limit=2").json()
    second = alice.get(f"/api/v1/runs/{run_id}/rollouts?limit=2&cursor={first['next']}").json()
    assert [item["step"] for item in first["items"] + second["items"]] == [1, 2, 3]
    assert second["items"][0]["response"] == "nul \ufffd and \U0001f986"
    assert first["facets"] == {"phase": {"eval_after": 1, "train": 2}, "step": {"1": 1, "2": 1, "3": 1}}
    assert len(alice.get(f"/api/v1/runs/{run_id}/rollouts?phase=eval_after").json()["items"]) == 1
    assert len(alice.get(f"/api/v1/runs/{run_id}/rollouts?step=3").json()["items"]) == 1


def test_the_end_of_a_run_is_written_down(alice: Api) -> None:
    run_id = start(alice)
    change = {"before": 0.4, "before_low": 0.3, "before_high": 0.5, "after": 0.9, "after_low": 0.8, "after_high": 0.95}
    body = {"state": "finished", "summary": {"correct": {**change, "tasks": 48}}, "note": "went well"}
    run = alice.request("PATCH", f"/api/v1/runs/{run_id}", json=body).json()
    assert (run["state"], run["note"], run["summary"]["correct"]["after"]) == ("finished", "went well", 0.9)
    again = alice.request("PATCH", f"/api/v1/runs/{run_id}", json={"note": "very"}).json()
    assert (again["state"], again["note"]) == ("finished", "very")


def test_only_the_owner_writes(alice: Api, bob: Api, api: Api) -> None:
    run_id = start(alice)
    assert api.post("/api/v1/runs", json=RUN).status_code == 401
    for method, path, body in [
        ("PATCH", "", {"note": "mine"}),
        ("POST", "/metrics", {"items": [point(1, reward=1.0)]}),
        ("POST", "/rollouts", {"items": [row(1)]}),
    ]:
        assert bob.request(method, f"/api/v1/runs/{run_id}{path}", json=body).status_code == 403


def test_runs_are_listed_newest_first_by_owner_and_by_package(alice: Api, bob: Api) -> None:
    first, second = start(alice), start(alice, packages=[])
    third = start(bob)
    ids = [run["id"] for run in alice.get("/api/v1/runs").json()["items"]]
    assert ids == [third, second, first]
    assert [r["id"] for r in alice.get("/api/v1/runs?owner=alice").json()["items"]] == [second, first]
    assert [r["id"] for r in alice.get("/api/v1/runs?package=alice/small-sums").json()["items"]] == [third, first]
    page = alice.get("/api/v1/runs?limit=2").json()
    assert [r["id"] for r in alice.get(f"/api/v1/runs?cursor={page['next']}").json()["items"]] == [first]


def test_the_same_key_starts_one_run(alice: Api, bob: Api) -> None:
    keyed = {"Idempotency-Key": "start-1"}
    first = alice.post("/api/v1/runs", json=RUN, headers=keyed)
    again = alice.post("/api/v1/runs", json=RUN, headers=keyed)
    assert first.json() == again.json()
    assert again.status_code == 201
    other = alice.post("/api/v1/runs", json={**RUN, "name": "other"}, headers=keyed)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    assert bob.post("/api/v1/runs", json=RUN, headers=keyed).json()["id"] != first.json()["id"]
    assert len(alice.get("/api/v1/runs?owner=alice").json()["items"]) == 1


def test_rollouts_sent_twice_under_one_key_are_kept_once(alice: Api) -> None:
    run_id = start(alice)
    for _ in range(2):
        alice.post(f"/api/v1/runs/{run_id}/rollouts", json={"items": [row(1)]}, headers={"Idempotency-Key": "rows-1"})
    assert len(alice.get(f"/api/v1/runs/{run_id}/rollouts").json()["items"]) == 1


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/metrics", {"items": [{"step": -1, "values": {}}]}),
        ("/metrics", {"items": [{"step": 2**40, "values": {}}]}),
        ("/metrics", {"items": [{"step": 1, "values": {"reward": "high"}}]}),
        ("/metrics", {"items": [point(step) for step in range(2001)]}),
        ("/rollouts", {"items": [row(1, tokens=2**40)]}),
        ("/rollouts", {"items": [{"step": 1}]}),
        ("/rollouts", {"rows": []}),
    ],
)
def test_what_no_run_would_send_is_refused(alice: Api, path: str, body: dict) -> None:
    refused = alice.post(f"/api/v1/runs/{start(alice)}{path}", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")


def test_nan_is_not_a_number_here(alice: Api) -> None:
    body = '{"items": [{"step": 1, "values": {"reward": NaN}}]}'
    run_id = start(alice)
    refused = alice.post(f"/api/v1/runs/{run_id}/metrics", content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code == 422


def test_an_unknown_run_is_not_found(alice: Api) -> None:
    for path in ("", "/metrics", "/rollouts"):
        refused = alice.get(f"/api/v1/runs/none{path}")
        assert (refused.status_code, refused.json()["code"]) == (404, "run_not_found")


def test_a_thinned_run_and_a_page_of_long_rollouts_are_the_same_on_both_databases(
    alice: Api, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub_server.runs.actions.metrics.MOST_POINTS_READ", 4)
    monkeypatch.setattr(queries, "MOST_LETTERS", 250)
    run = f"/api/v1/runs/{alice.post('/api/v1/runs', json={'name': 'r'}).json()['id']}"
    points = [{"step": step, "values": {"reward": 0.5}} for step in range(10)]
    assert alice.post(f"{run}/metrics", json={"items": points}).status_code == 200
    assert [one["step"] for one in api.get(f"{run}/metrics").json()["items"]] == [0, 3, 6, 9]
    rollouts = [{"step": 1, "task_id": "t", "response": f"{n}" * 100, "rewards": {}} for n in range(5)]
    assert alice.post(f"{run}/rollouts", json={"items": rollouts}).status_code == 200
    page = api.get(f"{run}/rollouts").json()
    rest = api.get(f"{run}/rollouts?cursor={page['next']}").json()
    assert [row["response"][0] for row in (*page["items"], *rest["items"])] == ["0", "1", "2", "3"]
