"""The worker: killed at any moment nothing is lost, stopped politely it gives its job back."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from hub_server.database import job_queue
from hub_server.database.engine import Database
from hub_server.database.job_queue import JobRow
from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.ports.executor import ExecutableRelease
from hub_server.worker import Worker, _is_dead, start_workers
from schemas.evidence.audit_plan import AuditPlan
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs

ROOT = Path(__file__).parents[2]
PACKAGE = "/api/v1/packages/alice/small-sums"


def start_hanging_worker(services: Services) -> "subprocess.Popen[bytes]":
    """A worker process that begins the audit and never ends it."""
    command = [sys.executable, "-m", "tests.making.hanging_worker", services.database.url, str(services.settings.data)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def wait_for_line(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_an_audit_loses_nothing(
    alice: Api, services: Services, clock: FakeClock, executor: FakeExecutor
) -> None:
    alice.publish(make_package())
    process = start_hanging_worker(services)
    try:
        assert wait_for_line(process) == b"auditing"
        audit = alice.get(f"{PACKAGE}/audits").json()["items"][0]
        assert audit["state"] == "running"
        assert not Worker(services).run_one()  # it is held
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    worker = Worker(services)
    worker._adopt_orphans()  # the next worker on this machine sees that its holder is gone
    assert worker.run_one()
    done = alice.get(f"{PACKAGE}/audits").json()["items"]
    assert [(one["id"], one["state"]) for one in done] == [(audit["id"], "done")]
    assert executor.audited == ["alice/small-sums@1.0.0"]


def test_a_lease_that_ends_frees_the_job_on_another_machine(alice: Api, services: Services, clock: FakeClock) -> None:
    alice.publish(make_package())
    with services.database.writing() as session:
        job_queue.claim_job(session, ["audits.audit_release"], "elsewhere:1:x", clock.now(), 30)
    assert run_jobs(services) == 0
    clock.advance(31)
    assert run_jobs(services) == 1


def test_whoever_lost_the_job_writes_nothing(
    alice: Api, services: Services, clock: FakeClock, executor: FakeExecutor
) -> None:
    """While one worker audits, its lease ends and another does the work: one report, and it is the second's."""
    alice.publish(make_package())

    def be_overtaken(_plan: object) -> None:
        executor.before_audit = lambda _: None
        clock.advance(3600)
        assert run_jobs(services) == 1

    executor.before_audit = be_overtaken
    Worker(services).run_one()
    audits = alice.get(f"{PACKAGE}/audits").json()["items"]
    assert [audit["state"] for audit in audits] == ["done"]
    with services.database.reading() as session:
        assert job_queue.count_jobs(session) == {"done": 1, "queued": 1}  # it looks for verifiers like it next


def test_a_stopped_worker_gives_its_job_back_at_once(alice: Api, services: Services, executor: FakeExecutor) -> None:
    alice.publish(make_package())
    worker = Worker(services)

    def be_stopped(_plan: object) -> None:
        worker.stop()
        raise RuntimeError("the boxes were ended by the shutdown")

    executor.before_audit = be_stopped
    worker.run_one()
    executor.before_audit = lambda _: None
    assert run_jobs(services) == 1
    assert alice.get(f"{PACKAGE}/audits").json()["items"][0]["state"] == "done"


def with_worker(services: Services, **changed: object) -> None:
    worker = services.settings.worker.model_copy(update=changed)
    object.__setattr__(services, "settings", services.settings.model_copy(update={"worker": worker}))


def test_a_job_that_takes_too_long_fails_in_words_and_the_worker_goes_on(
    alice: Api, services: Services, executor: FakeExecutor
) -> None:
    """Before, a sandbox that never answered held the only worker for ever, and every audit after it."""
    alice.publish(make_package())
    alice.publish(make_package("alice/other-sums"))
    with_worker(services, job_seconds=0.2)
    never, ended = threading.Event(), threading.Event()

    def hang(plan: AuditPlan[ExecutableRelease]) -> None:
        if plan.subject.startswith("alice/small-sums"):
            never.wait(60)
            ended.set()

    executor.before_audit = hang
    assert Worker(services).run_one()
    failed = alice.get(f"{PACKAGE}/audits").json()["items"][0]
    assert failed["state"] == "failed"
    assert "longer than 0.2 s" in json.dumps(failed)
    with_worker(services, job_seconds=60)
    run_jobs(services)
    assert alice.get("/api/v1/packages/alice/other-sums/audits").json()["items"][0]["state"] == "done"
    never.set()  # the hung one comes back: what it writes no longer counts
    assert ended.wait(60)
    run_jobs(services)
    assert alice.get(f"{PACKAGE}/audits").json()["items"][0]["state"] == "failed"


def test_a_job_that_took_too_long_is_told_so_and_its_thread_ends(alice: Api, services: Services) -> None:
    """Before, the thread went on judging for nobody, in boxes that others waited for."""
    alice.publish(make_package())
    with_worker(services, job_seconds=0.1)
    told, ended = [], threading.Event()

    def judge_for_ever(job: RunningJob) -> None:
        try:
            told.append(job.over.wait(60))
            job.check_not_over()
        finally:
            ended.set()

    kind = JobKind(run=judge_for_ever, give_up=lambda _work, _job, _payload, _reason: None)
    assert Worker(services, {JobName.AUDIT_RELEASE: kind}).run_one()
    assert ended.wait(60)
    assert told == [True]


def test_one_accounts_slow_audits_stop_nobody_elses(
    alice: Api, bob: Api, services: Services, executor: FakeExecutor
) -> None:
    for number in range(3):
        alice.publish(make_package(f"alice/slow{number}"))
    bob.publish(make_package("bob/sums"))
    began, may_end = threading.Event(), threading.Event()

    def be_slow(plan: AuditPlan[ExecutableRelease]) -> None:
        if plan.subject.startswith("alice/"):
            began.set()
            may_end.wait(60)

    executor.before_audit = be_slow
    slow = threading.Thread(target=Worker(services, workers=2).run_one)
    slow.start()
    assert began.wait(60)
    assert Worker(services, workers=2).run_one()
    assert bob.get("/api/v1/packages/bob/sums/audits").json()["items"][0]["state"] == "done"
    may_end.set()
    slow.join()


def test_what_a_job_queues_counts_as_the_same_accounts(alice: Api, services: Services) -> None:
    alice.publish(make_package())
    assert Worker(services).run_one()
    with services.database.reading() as session:
        accounts = dict(session.execute(select(JobRow.name, JobRow.account)).all())
    assert accounts == {"audits.audit_release": "alice", "audits.find_neighbours": "alice"}


def test_two_workers_share_the_jobs(alice: Api, services: Services, executor: FakeExecutor) -> None:
    for number in range(4):
        alice.publish(make_package(f"alice/sums{number}"))
    threads = [threading.Thread(target=run_jobs, args=(services,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(executor.audited) == [f"alice/sums{number}@1.0.0" for number in range(4)]


def test_a_worker_outlives_its_database(
    services: Services, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(services)
    calls = 0

    def fail_twice() -> None:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise ConnectionError("the database went away")
        worker.stop()

    pauses: list[float] = []
    monkeypatch.setattr(worker, "_claim", fail_twice)
    monkeypatch.setattr(worker._stopping, "wait", pauses.append)
    worker.run()
    assert calls == 3
    assert pauses == [services.settings.worker.poll_seconds] * 3


def test_a_worker_without_work_locks_nothing(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite has one writer: each idle worker took its turn as one twice a second."""
    worker = Worker(services)
    monkeypatch.setattr(services.database, "writing", lambda **_: pytest.fail("a lock for nothing"))
    assert not worker.run_one()


class Turn:
    """A lock that notes who has it."""

    def __init__(self, notes: list[str]) -> None:
        self.notes = notes

    def __enter__(self) -> None:
        self.notes.append("my turn")

    def __exit__(self, *_: object) -> None:
        self.notes.append("yours")


def test_who_looks_has_the_turn_and_who_works_has_given_it_on(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    worker = Worker(services, turn=Turn(notes))  # type: ignore[arg-type]
    found = iter([None, "a lease"])
    monkeypatch.setattr(worker, "_claim", lambda: (notes.append("looks"), next(found))[1])
    monkeypatch.setattr(worker._stopping, "wait", lambda _: None)
    monkeypatch.setattr(worker, "_take_on", lambda lease: (notes.append(f"works on {lease}"), worker.stop()))
    worker.run()
    assert notes == ["my turn", "looks", "looks", "yours", "works on a lease"]


def test_workers_that_share_a_turn_work_at_once(alice: Api, services: Services, executor: FakeExecutor) -> None:
    for number in range(2):
        alice.publish(make_package(f"alice/sums{number}"))
    with_worker(services, poll_seconds=0.01, jobs_each=2)
    both = threading.Barrier(2)
    met = [threading.Event(), threading.Event()]

    def meet(_plan: object) -> None:  # the first waits for the second, which begins only if nobody keeps the turn
        met[both.wait(60)].set()

    executor.before_audit = meet
    workers = start_workers(services, 2)
    try:
        assert all(one.wait(90) for one in met)
    finally:
        for worker, _ in workers:
            worker.stop()
        for _, thread in workers:
            thread.join(60)


def test_only_the_dead_are_taken_for_dead(services: Services, clock: FakeClock) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    host = Worker(services).owner.split(":")[0]
    owners = {
        f"{host}:{os.getpid()}:a": False,
        f"{host}:{ended.pid}:b": True,
        f"other:{ended.pid}:c": False,
        "odd": False,
    }
    assert {owner: _is_dead(owner, host) for owner in owners} == owners
