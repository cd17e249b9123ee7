"""Where a case comes from and what happened to it: straight from a run's rollout, disputed, relabelled, replayed."""

from typing import Any

import pytest

from hub_server.kernel.services import Services
from schemas.verdict import Verdict
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs

PACKAGE = "/api/v1/packages/alice/small-sums"


def lenient(_version: str, task: dict[str, Any], response: str | None) -> Verdict:
    return Verdict(rewards={"correct": float(str(task["answer"]) in (response or ""))})


@pytest.fixture
def run(alice: Api, services: Services, executor: FakeExecutor) -> dict[str, Any]:
    """A run of alice on alice/small-sums 1.0.0 with one rollout, wrongly accepted."""
    executor.judge_call = lenient
    release = alice.publish(make_package()).json()["release"]
    run_jobs(services)
    pin = {"package": "alice/small-sums", "version": "1.0.0", "digest": release["digest"]}
    made = alice.post("/api/v1/runs", json={"name": "grpo", "packages": [pin], "rewards": {"correct": {}}}).json()
    row = {"step": 7, "package": "alice/small-sums", "task_id": "t1", "prompt": "1+1?", "response": "2 or 3"}
    alice.post(f"/api/v1/runs/{made['id']}/rollouts", json={"items": [{**row, "rewards": {"correct": 1.0}}]})
    return made


def test_a_rollout_has_a_number_an_address_and_a_button_on_the_run_page(alice: Api, run: dict[str, Any]) -> None:
    rollout = alice.get(f"/api/v1/runs/{run['id']}/rollouts").json()["items"][0]
    assert alice.get(f"/api/v1/runs/{run['id']}/rollouts/{rollout['id']}").json() == rollout
    assert alice.get(f"/api/v1/runs/{run['id']}/rollouts/{rollout['id'] + 1}").status_code == 404
    page = alice.get(f"/runs/{run['id']}").text
    url = f"/packages/alice/small-sums/releases/1.0.0/cases/new?run={run['id']}&amp;rollout={rollout['id']}"
    assert f'href="{url}"' in page


def test_the_button_leads_to_a_form_that_is_filled_and_the_case_keeps_its_source(
    bob: Api, run: dict[str, Any], services: Services
) -> None:
    rollout = bob.get(f"/api/v1/runs/{run['id']}/rollouts").json()["items"][0]
    new = f"/packages/alice/small-sums/releases/1.0.0/cases/new?run={run['id']}&rollout={rollout['id']}"
    form = bob.get(new).text
    assert "2 or 3" in form
    assert 'name="task_id" value="t1"' in form
    assert 'value="incorrect" checked' in form
    source = f"run {run['id']}, rollout {rollout['id']}, step 7"
    assert f'name="source" value="{source}"' in form
    fields = {"task_id": "t1", "response": "2 or 3", "label": "incorrect", "source": source}
    sent = bob.post("/packages/alice/small-sums/releases/1.0.0/cases", data=fields)
    assert sent.status_code == 303, sent.text
    case = bob.get(f"{PACKAGE}/cases").json()["items"][0]
    assert (case["state"], case["case"]["source"], case["case"]["tags"]) == ("reproduced", source, ["rollout"])


def test_a_case_keeps_who_did_what_to_it(
    alice: Api, bob: Api, api: Api, run: dict[str, Any], services: Services, clock: Any
) -> None:
    case = {"id": "c", "task_id": "t1", "response": "2 or 3", "label": "incorrect"}
    case_id = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json=case).json()["id"]
    alice.post(f"{PACKAGE}/cases/{case_id}/dispute", json={"reason": "2 is in it"})
    ruling = {"ruling": "relabelled", "reason": "The task asks for any mention."}
    api.sign_up("moda").post(f"{PACKAGE}/cases/{case_id}/settle", json=ruling)
    clock.advance(10)
    run_jobs(services)
    history = api.get(f"{PACKAGE}/cases/{case_id}").json()["history"]
    assert [(event["what"], event["by"], event["label"], event["state"]) for event in history] == [
        ("submitted", "bob", "incorrect", "reproduced"),
        ("disputed", "alice", "incorrect", "disputed"),
        ("relabelled", "moda", "correct", "open"),
        ("replayed", "hub", "correct", "refuted"),
    ]
    assert history[2]["reason"] == "The task asks for any mention."
    page = api.get("/packages/alice/small-sums/releases/1.0.0/cases").text
    assert "<b>relabelled</b> by moda" in page


def test_a_case_on_a_generated_task_is_made_whole_before_it_is_run(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    executor.judge_call = lenient
    manifest = (
        'format = 1\nid = "alice/small-sums"\nkind = "environment"\ntasks = { test = "alice_small_sums:generate" }\n'
        'verifier = "alice_small_sums:verify"\n[rewards.correct]\ndescription = "right"\n'
    )
    alice.publish(make_package(manifest=manifest))
    run_jobs(services)
    case = {"id": "c", "task_id": "test-4-5", "response": "9 or 8", "label": "incorrect"}
    kept = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json=case).json()
    assert (kept["state"], kept["case"]["task"]["answer"]) == ("reproduced", 9)
    again = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json=case)
    assert again.json()["code"] == "case_exists"
    executor.reason = "no engine"
    away = bob.post(f"{PACKAGE}/releases/1.0.0/cases", json={**case, "response": "9 or 7"})
    assert (away.status_code, away.json()["code"]) == (503, "sandbox_unavailable"), "later it may well be made"
