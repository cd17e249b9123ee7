"""Slots for work that takes long: against a crowd, against one greedy caller, and while ordinary pages must answer."""

import asyncio
import contextlib
import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import httpx
import pytest
from fastapi import FastAPI

from hub_server.errors import BusyError, NotAuthenticatedError, StorageUnavailableError, TooManyRequestsError
from hub_server.kernel.services import Services
from hub_server.settings import ExecutionSettings, ServerSettings, SlotSettings
from hub_server.web.admission import Admission
from hub_server.web.senders import Sender
from schemas.verdict import Verdict
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package
from tests.making.wheel import MANIFEST

RELEASE = "/api/v1/packages/alice/small-sums/releases/1.0.0"
ALICE, BOB = Sender("account:alice", is_account=True), Sender("account:bob", is_account=True)
STRANGER, OTHER = Sender("address:1", is_account=False), Sender("address:2", is_account=False)
SLOTS = SlotSettings(total=3, each=2, anonymous=2, anonymous_each=1)


def taken(admission: Admission, *senders: Sender) -> list[str]:
    """Let ``senders`` take a slot one after the other and keep it; returns what each got."""

    async def take_all() -> list[str]:
        answers = []
        async with contextlib.AsyncExitStack() as stack:
            for sender in senders:
                try:
                    await stack.enter_async_context(admission.slot(sender))
                    answers.append("slot")
                except (BusyError, TooManyRequestsError, NotAuthenticatedError) as error:
                    answers.append(type(error).__name__)
        return answers

    return asyncio.run(take_all())


@pytest.mark.parametrize(
    ("senders", "answers"),
    [
        ([ALICE, ALICE, ALICE], ["slot", "slot", "TooManyRequestsError"]),
        ([ALICE, ALICE, BOB, BOB], ["slot", "slot", "slot", "BusyError"]),
        ([STRANGER, STRANGER], ["slot", "TooManyRequestsError"]),
        ([STRANGER, OTHER, Sender("address:3", False), BOB], ["slot", "slot", "BusyError", "slot"]),
    ],
)
def test_nobody_takes_all(senders: list[Sender], answers: list[str]) -> None:
    assert taken(Admission("tests", SLOTS, wait_seconds=0), *senders) == answers


def test_work_for_accounts_only_says_so() -> None:
    slots = SLOTS.model_copy(update={"anonymous": 0})
    assert taken(Admission("tests", slots, wait_seconds=0), STRANGER, ALICE) == ["NotAuthenticatedError", "slot"]


def test_whom_the_database_could_not_name_is_told_to_try_again_and_not_to_log_in() -> None:
    """It has a good token perhaps: a database that started again between two questions made a publish a 401."""
    admission = Admission("tests", SLOTS.model_copy(update={"anonymous": 0}), wait_seconds=0)
    with pytest.raises(StorageUnavailableError, match="whose token this is: try again"):
        taken(admission, replace(STRANGER, is_checked=False))


def test_a_freed_slot_goes_to_whoever_waits_and_nothing_is_kept_afterwards() -> None:
    admission = Admission("tests", SLOTS, wait_seconds=60)
    order: list[str] = []

    async def hold(name: str, may_end: anyio.Event, began: anyio.Event) -> None:
        async with admission.slot(ALICE):
            order.append(name)
            began.set()
            await may_end.wait()

    async def main() -> None:
        ends, begans = [anyio.Event() for _ in range(4)], [anyio.Event() for _ in range(4)]
        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(hold, str(number), ends[number], begans[number])
            await begans[1].wait()
            assert order == ["0", "1"]
            ends[0].set()
            await begans[2].wait()
            assert order == ["0", "1", "2"]
            for end in ends:
                end.set()

    asyncio.run(main())
    assert order == ["0", "1", "2", "3"]
    assert admission._shares == {}


def test_a_cancelled_wait_gives_everything_back() -> None:
    admission = Admission("tests", SlotSettings(total=1, each=1, anonymous=1, anonymous_each=1), wait_seconds=60)

    async def main() -> None:
        async with admission.slot(ALICE):
            for sender in (ALICE, BOB, STRANGER):
                with anyio.CancelScope() as scope:
                    scope.cancel()
                    async with admission.slot(sender):
                        raise AssertionError("there is no slot")
        for sender in (ALICE, BOB, STRANGER):
            async with admission.slot(sender):
                pass

    asyncio.run(main())
    assert admission._shares == {}


@pytest.fixture
def settings(settings: ServerSettings) -> ServerSettings:
    return settings.model_copy(update={"execution": ExecutionSettings(wait_seconds=0)})


BODY = {"id": "x", "task_id": "t1", "response": "2"}
FORM = {"task_id": "t1", "response": "2"}


async def storm(app: FastAPI, count: int, path: str, may_answer: threading.Event, **more: Any) -> Counter[int]:
    """``count`` requests of a stranger at once, of which some hang; how the others were answered.

    While they hang, other people's pages must answer.
    """
    transport = httpx.ASGITransport(app=app)
    answers: Counter[int] = Counter()
    async with (
        httpx.AsyncClient(transport=transport, base_url="http://hub.test", timeout=None) as client,
        anyio.create_task_group() as group,
    ):

        async def send() -> None:
            answers[(await client.post(path, **more)).status_code] += 1

        for _ in range(count):
            group.start_soon(send)
        with anyio.fail_after(240):
            while answers.total() < count - 2:
                await anyio.lowlevel.checkpoint()
            for page in ("/healthz", "/about", "/", "/api/v1/packages", "/packages/alice/small-sums"):
                assert (await client.get(page)).status_code == 200
        may_answer.set()
    return answers


@pytest.mark.parametrize(
    ("path", "more"),
    [
        (f"{RELEASE}/judge", {"json": BODY}),
        (RELEASE.removeprefix("/api/v1") + "/try", {"data": FORM}),
    ],
)
def test_a_crowd_of_strangers_stops_nobody_else(alice: Api, executor: FakeExecutor, path: str, more: Any) -> None:
    """48 requests that run slow code used to hold every request thread, and the health check with them."""
    alice.publish(make_package())
    may_answer = threading.Event()

    def wait(_version: str, _task: dict[str, Any], _response: str | None) -> Verdict:
        may_answer.wait(240)
        return Verdict(rewards={"correct": 0.0})

    executor.judge_call = wait
    answers = asyncio.run(storm(alice.app, 48, path, may_answer, **more))
    assert answers == {429: 46, 200: 2}


def test_no_transaction_is_open_while_code_runs(alice: Api, services: Services, executor: FakeExecutor) -> None:
    """Neither in the API nor in Try it; a transaction that lasts as long as a stranger's code blocks the database."""
    alice.publish(make_package(manifest=GENERATED))
    seen: list[int] = []
    make_tasks = executor.tasks

    def judge(_version: str, _task: dict[str, Any], _response: str | None) -> Verdict:
        seen.append(services.database.engine.pool.checkedout())  # type: ignore[attr-defined]
        return Verdict(rewards={"correct": 0.0})

    def tasks(*arguments: Any, **more: Any) -> list[dict[str, Any]]:
        seen.append(services.database.engine.pool.checkedout())  # type: ignore[attr-defined]
        return make_tasks(*arguments, **more)

    executor.judge_call, executor.tasks = judge, tasks  # type: ignore[method-assign]
    page = RELEASE.removeprefix("/api/v1")
    assert alice.post(f"{RELEASE}/judge", json=BODY).status_code == 200
    assert alice.post(f"{page}/try", data=FORM).status_code == 200
    assert alice.post(f"{page}/try", data={**FORM, "split": "test", "task_id": "test-0-1"}).status_code == 200
    assert alice.get(f"{page}/try?split=test").status_code == 200
    assert alice.get(f"{page}/tasks?split=test").status_code == 200
    assert alice.get(f"{RELEASE}/tasks?split=test").status_code == 200
    assert len(seen) >= 7
    assert set(seen) == {0}


GENERATED = MANIFEST.replace('train = "tasks.jsonl"', 'train = "tasks.jsonl", test = "alice_small_sums:generate"')
