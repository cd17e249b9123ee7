"""The engine falls silent while a box is being opened: whoever waits for it is told soon, and no reward is made up."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from hub_server.adapters.sandbox_executor import SandboxExecutor
from hub_server.app import create_app
from hub_server.catalog import actions as catalog
from hub_server.errors import ExecutionUnavailableError
from hub_server.execution import actions as execution
from hub_server.kernel.services import Services
from tests.making.action_driver import ActionDriver
from tests.making.falling_silent import FallingSilent, falling_silent
from tests.making.hub import Api, make_package
from tests.making.hub_processes import wait_until
from tests.making.wheel import MANIFEST

RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"
ONE = {"task_id": "t1", "response": "2"}
GENERATES = MANIFEST.replace('train = "tasks.jsonl"', 'train = "tasks.jsonl", test = "alice_small_sums:generate"')


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SandboxExecutor, FallingSilent]]:
    with falling_silent(monkeypatch) as made:
        yield made


@pytest.fixture
def alice(services: Services, engine) -> Api:
    """A hub whose sandbox does that, with a package that also makes tasks."""
    api = Api(create_app(replace(services, executor=engine[0]))).sign_up("alice")
    assert api.publish(make_package(manifest=GENERATES)).status_code == 201
    return api


def assert_told(answer) -> None:
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["retry-after"]) >= 1
    assert answer.json()["code"] == "sandbox_unavailable"
    assert "ewards" not in answer.text


def assert_given_up(sandbox: FallingSilent, what: str) -> None:
    """On the sandbox's own loop, so perhaps after the answer."""
    wait_until(lambda: sandbox.given_up == [what], "an end of the waiting")


def test_a_response_whose_box_is_being_opened_is_not_judged(alice: Api, engine) -> None:
    answer = alice.post(f"{RELEASE}/judge", json=ONE)
    assert_told(answer)
    assert "try again in a moment" in answer.json()["detail"]
    assert_given_up(engine[1], "verdicts")


def test_a_stream_whose_box_is_being_opened_says_so_in_its_last_line(alice: Api, engine) -> None:
    answer = alice.post(f"{RELEASE}/score", content=json.dumps({"id": "a", **ONE}).encode())
    [line] = map(json.loads, answer.text.splitlines())
    assert line["problem"]["code"] == "sandbox_unavailable"
    assert_given_up(engine[1], "verdicts")


def test_a_counter_example_whose_task_is_made_is_refused_and_stored_nowhere(alice: Api, engine) -> None:
    case = {"id": "c", "task_id": "test-7-0", "response": "3", "label": "correct"}
    answer = alice.post(f"{RELEASE}/cases", json=case)
    assert_told(answer)
    assert "send the task itself" in answer.json()["detail"]
    assert_given_up(engine[1], "tasks")
    assert alice.get("/api/v1/packages/alice/small-sums/cases").json()["items"] == []


def test_generated_tasks_are_told_as_well(alice: Api, engine) -> None:
    answer = alice.get(f"{RELEASE}/tasks?split=test&limit=3")
    last = json.loads(answer.text.splitlines()[-1])
    assert last.get("problem", last)["code"] == "sandbox_unavailable", answer.text
    assert_given_up(engine[1], "tasks")


@pytest.mark.parametrize("what", ["session", "tools", "call"])
def test_a_session_and_tools_are_told_as_well(playable: ActionDriver, engine, what: str) -> None:
    executor, sandbox = engine
    with playable.reading() as work:
        release = execution.executable_release(work, catalog.usable_release(work, "alice/small-sums", "1.0.0"))
    ask = {
        "session": lambda: executor.session(release, {"id": "t"}, seed=0).__enter__(),
        "tools": lambda: executor.tools(release),
        "call": lambda: executor.call_tool(release, "add", {}),
    }
    with pytest.raises(ExecutionUnavailableError, match="try again in a moment") as told:
        ask[what]()
    assert told.value.retry_after_seconds
    assert_given_up(sandbox, what)
