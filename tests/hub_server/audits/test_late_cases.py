"""A counter-example that a busy hub does not judge in time: it is taken, and the worker judges it."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from hub_server.audits import actions
from hub_server.audits.actions import quotas
from hub_server.audits.errors import TooManyCasesError
from hub_server.database.job_queue import JobRow
from hub_server.kernel.services import Services
from hub_server.settings import ServerSettings
from schemas.evidence.standing import Quotas
from tests.fakes.executor import FakeExecutor
from tests.hub_server.audits.actions.test_cases import GENERATED
from tests.hub_server.audits.judged import BOB, executed, hack
from tests.hub_server.audits.test_labelling import PACKAGE, give, judge, log_calls, queue
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api, make_package, run_jobs

CASE = {"id": "h1", "task_id": "t1", "response": "2", "label": "incorrect"}


@pytest.fixture
def settings(usual_settings: ServerSettings, tmp_path: Path) -> ServerSettings:
    """Nobody waits for a verdict."""
    execution = usual_settings.execution.model_copy(update={"case_seconds": 0.01})
    return usual_settings.model_copy(update={"data": tmp_path / "data", "execution": execution})


@pytest.mark.parametrize(
    ("manifest", "case", "answer"),
    [({}, CASE, 2), ({"manifest": GENERATED}, CASE | {"task_id": "test-4-2", "response": "6"}, 6)],
    ids=["stored", "generated"],
)
def test_a_case_is_taken_with_its_task_and_judged_later(  # noqa: PLR0917 -- pytest fills them by name
    alice: Api,
    bob: Api,
    services: Services,
    executor: FakeExecutor,
    clock: Any,
    manifest: dict[str, str],
    case: dict[str, str],
    answer: int,
) -> None:
    """It was waited for without an end, and every client had given up by then."""
    assert alice.publish(make_package("alice/made", **manifest)).status_code == 201
    run_jobs(services)
    executor.is_stuck = True
    taken = bob.post("/api/v1/packages/alice/made/releases/1.0.0/cases", json=case)
    assert (taken.status_code, taken.json()["state"]) == (201, "open"), taken.text
    assert taken.json()["case"]["task"]["answer"] == answer
    assert "busy" in taken.json()["error"]
    clock.advance(60)
    run_jobs(services)
    assert alice.get(f"/api/v1/packages/alice/made/cases/{taken.json()['id']}").json()["state"] == "reproduced"


def test_a_task_that_is_not_made_in_time_is_a_refusal_that_says_what_to_do(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    """It was waited for without an end."""
    assert alice.publish(make_package("alice/made", manifest=GENERATED)).status_code == 201
    run_jobs(services)
    executor.makes_no_tasks = True
    refused = bob.post("/api/v1/packages/alice/made/releases/1.0.0/cases", json=CASE | {"task_id": "test-4-2"})
    assert (refused.status_code, refused.json()["code"], refused.headers["Retry-After"]) == (503, "busy", "30")
    assert "send the task itself" in refused.json()["detail"]
    assert "Nothing is stored" in refused.json()["detail"]
    assert bob.get("/api/v1/packages/alice/made/cases").json()["items"] == []


def test_without_a_sandbox_no_time_is_named_at_which_it_would_be_better(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    assert alice.publish(make_package("alice/made", manifest=GENERATED)).status_code == 201
    run_jobs(services)
    executor.makes_no_tasks, executor.reason = True, "no engine"
    refused = bob.post("/api/v1/packages/alice/made/releases/1.0.0/cases", json=CASE | {"task_id": "test-4-2"})
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, False)


@pytest.mark.parametrize("act", ["preview", ""])
def test_the_form_waits_no_longer_than_the_api(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, act: str
) -> None:
    """A browser waited for as long as the hub was busy, and everything that was typed was lost."""
    assert alice.publish(make_package("alice/made")).status_code == 201
    run_jobs(services)
    executor.is_stuck = True
    form = {"task_id": "t1", "split": "train", "response": "2", "label": "incorrect"}
    page = f"/packages/alice/made/releases/1.0.0/cases{f'/{act}' if act else ''}"
    answer = bob.post(page, data=form)
    assert answer.status_code == (200 if act else 303), answer.text
    kept = bob.get("/api/v1/packages/alice/made/cases").json()["items"]
    said = answer.text if act else kept[0]["error"]
    assert "The hub is busy: no verdict within 0.01 s." in said
    assert [case["state"] for case in kept] == ([] if act else ["open"]), "the worker judges it"


def test_a_case_that_is_judged_later_is_put_to_other_verifiers_too(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    """Only those that were judged at once could come to count by others' verifiers."""
    assert alice.publish(make_package("alice/made")).status_code == 201
    run_jobs(services)
    executor.is_stuck = True
    taken = bob.post("/api/v1/packages/alice/made/releases/1.0.0/cases", json=CASE).json()
    clock.advance(60)
    run_jobs(services)
    with services.database.reading() as session:
        asked = session.scalars(select(JobRow.payload).where(JobRow.name == "audits.ask_verifiers")).all()
    assert asked == [{"package": "alice/made", "case_id": taken["id"]}]


def test_cases_that_are_executed_at_once_pass_no_limit(hedging: ActionDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them were counted before any was kept."""
    few = Quotas(waiting=2, cases=9, labels=9, words=9)
    monkeypatch.setattr(quotas, "quotas_by_rank", lambda _: {"new": few, "standing": few})
    at_once = [executed(hedging, hack(f"h{number}", response=f"2 or {number}")) for number in range(3)]
    for one in at_once[:2]:
        hedging.do(BOB, actions.submit_case, one)
    with pytest.raises(TooManyCasesError):
        hedging.do(BOB, actions.submit_case, at_once[2])


def test_who_answers_the_question_that_settles_it_waits_no_longer_either(
    alice: Api, bob: Api, api: Api, services: Services, executor: FakeExecutor, clock: Any
) -> None:
    """The second of two people who agreed waited for a box as long as the hub was busy."""
    executor.judge_call = judge
    log_calls(alice, api, services)
    executor.is_stuck = True
    question = queue(api)[1]
    give(bob, question, "correct")
    settled = give(api.sign_up("carol"), question, "correct")
    case = f"{PACKAGE}/cases/{settled['case_id']}"
    assert api.get(case).json()["state"] == "open"
    clock.advance(120)
    run_jobs(services)
    assert api.get(case).json()["state"] == "reproduced"
