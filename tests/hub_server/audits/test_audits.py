"""Audits: measured by the worker, retried when lost, waiting when the sandbox is away."""

import pytest

from hub_server.audits.jobs import MOST_TRIES_FOR_LOST_CALLS
from hub_server.errors import ExecutionUnavailableError
from hub_server.kernel.services import Services
from hub_server.worker import Worker
from schemas.verdict import ErrorKind, Verdict
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs

RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"


def newest(api: Api) -> dict:
    return api.get(f"{RELEASE}/audits").json()["items"][0]


def card(api: Api) -> dict:
    return api.get("/api/v1/packages/alice/small-sums").json()["card"]


def test_a_release_is_measured_and_its_card_shows_the_rates(alice: Api, services: Services) -> None:
    alice.publish(make_package())
    run_jobs(services)
    record = newest(alice)
    assert record["state"] == "done"
    assert record["report"]["subject"] == "alice/small-sums@1.0.0"
    assert (record["report"]["overall"]["tp"], record["report"]["overall"]["tn"]) == (1, 1)
    assert card(alice)["audit"]["case_count"] == record["report"]["case_count"]
    assert alice.get(f"/api/v1/audits/{record['id']}").json() == record


def test_an_audit_waits_while_the_sandbox_is_away_and_says_why(
    alice: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    executor.reason = "no Docker engine answers: start it"
    alice.publish(make_package())
    worker = Worker(services)
    for _ in range(services.settings.worker.attempts + 2):  # waiting uses up no attempt
        assert worker.run_one()
        clock.advance(60)
    record = newest(alice)
    assert record["state"] == "queued"
    assert "no Docker engine answers" in record["error"]
    assert card(alice)["audit_state"] == "queued"
    executor.reason = None
    run_jobs(services)
    assert newest(alice)["state"] == "done"


def test_an_audit_that_keeps_failing_is_given_up_and_said(
    alice: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    def explode(_plan: object) -> None:
        raise RuntimeError("the disk caught fire")

    executor.before_audit = explode
    alice.publish(make_package())
    worker = Worker(services)
    while worker.run_one():
        clock.advance(3600)
    record = newest(alice)
    assert record["state"] == "failed"
    assert "the disk caught fire" in record["error"]
    assert card(alice)["audit_state"] == "failed"


def test_calls_lost_to_our_own_faults_make_no_rates(
    alice: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    executor.judge_call = lambda *_: Verdict.unjudged(["correct"], ErrorKind.HOST, "the box was lost")
    alice.publish(make_package())
    Worker(services).run_one()
    assert newest(alice)["state"] == "running"
    assert card(alice)["audit"] is None
    executor.judge_call = FakeExecutor().judge_call
    clock.advance(3600)
    run_jobs(services)
    assert newest(alice)["state"] == "done"


def test_a_verifier_that_always_loses_its_box_is_reported_as_not_judged(
    alice: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    """It must not be thrown away and run again until it counts as failed: what was judged is a result."""
    judge = FakeExecutor().judge_call
    lost = Verdict.unjudged(["correct"], ErrorKind.HOST, "the box was lost")
    executor.judge_call = lambda version, task, response: lost if response == "6" else judge(version, task, response)
    alice.publish(make_package())
    worker = Worker(services)
    for _ in range(MOST_TRIES_FOR_LOST_CALLS):
        worker.run_one()
        clock.advance(3600)
    record = newest(alice)
    assert record["state"] == "done"
    assert record["report"]["overall"]["unscored"] == 1
    assert record["report"]["unscored_reasons"] == {"host": 1}
    assert record["report"]["overall"]["tp"] == 1


def test_an_audit_can_be_asked_for_again_and_only_once_at_a_time(alice: Api, bob: Api, services: Services) -> None:
    alice.publish(make_package())
    run_jobs(services)
    first = bob.post(f"{RELEASE}/audits")
    second = bob.post(f"{RELEASE}/audits")
    assert first.status_code == 202
    assert first.json()["id"] == second.json()["id"]
    run_jobs(services)
    records = alice.get(f"{RELEASE}/audits").json()["items"]
    assert [record["state"] for record in records] == ["done", "done"]


def test_asking_needs_an_account_and_a_verifier(api: Api, alice: Api) -> None:
    tool = 'format = 1\nid = "alice/tool"\nkind = "tool"\ntools = ["alice_tool:verify"]\n'
    alice.publish(make_package("alice/tool", manifest=tool))
    path = "/api/v1/packages/alice/tool/releases/1.0.0/audits"
    assert api.post(path).status_code == 401
    refused = alice.post(path)
    assert refused.status_code == 422
    assert "no verifier" in refused.json()["detail"]


def test_the_verifier_of_another_package_is_measured_on_the_environments_cases(alice: Api, services: Services) -> None:
    judge = (
        'format = 1\nid = "alice/judge"\nkind = "verifier"\nverifier = "alice_judge:verify"\n\n'
        '[rewards.correct]\ndescription = "right"\n'
    )
    alice.publish(make_package("alice/judge", manifest=judge))
    env = (
        'format = 1\nid = "alice/borrowed"\nkind = "environment"\ntasks = { train = "tasks.jsonl" }\n'
        'verifier = "alice/judge@>=1"\naudit = ["audit.jsonl"]\n'
    )
    assert alice.publish(make_package("alice/borrowed", manifest=env)).status_code == 201
    run_jobs(services)
    record = alice.get("/api/v1/packages/alice/borrowed/releases/1.0.0/audits").json()["items"][0]
    assert record["report"]["subject"] == "alice/borrowed@1.0.0"
    assert record["report"]["overall"]["tp"] == 1
    judged = alice.post(
        "/api/v1/packages/alice/borrowed/releases/1.0.0/judge", json={"id": "x", "task_id": "t1", "response": "2"}
    )
    assert judged.json()["rewards"] == {"correct": 1.0}


def test_progress_is_visible_while_an_audit_runs(alice: Api, services: Services, executor: FakeExecutor) -> None:
    seen: list[tuple[str, int]] = []

    def look(_plan: object) -> None:
        record = newest(alice)
        seen.append((record["state"], record["total_cases"]))

    executor.before_audit = look
    alice.publish(make_package())
    run_jobs(services)
    assert seen == [("running", 2)]


def test_a_sandbox_that_goes_away_in_the_middle_gives_the_audit_back(
    alice: Api, services: Services, executor: FakeExecutor, clock: FakeClock
) -> None:
    def vanish(_plan: object) -> None:
        executor.before_audit = lambda _: None
        raise ExecutionUnavailableError("the engine went away")

    executor.before_audit = vanish
    alice.publish(make_package())
    run_jobs(services)
    assert executor.audited == []
    clock.advance(60)
    run_jobs(services)
    assert newest(alice)["state"] == "done"


@pytest.mark.parametrize("path", ["/api/v1/audits/none", "/api/v1/packages/alice/none/audits"])
def test_what_is_not_there_is_not_found(api: Api, path: str) -> None:
    assert api.get(path).status_code == 404
