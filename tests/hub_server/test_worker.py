"""The worker: killed at any moment nothing is lost, stopped politely it gives its job back."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hub_server.database import job_queue
from hub_server.database.engine import Database
from hub_server.parts import Parts
from hub_server.worker import Worker, _is_dead
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.making.hub import Api, make_package, run_jobs

ROOT = Path(__file__).parents[2]
PACKAGE = "/api/v1/packages/alice/small-sums"


def start_hanging_worker(parts: Parts) -> "subprocess.Popen[bytes]":
    """A worker process that begins the audit and never ends it."""
    command = [sys.executable, "-m", "tests.making.hanging_worker", parts.database.url, str(parts.settings.data)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def wait_for_line(process: "subprocess.Popen[bytes]") -> bytes:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_of_an_audit_loses_nothing(
    alice: Api, parts: Parts, clock: FakeClock, executor: FakeExecutor
) -> None:
    alice.publish(make_package())
    process = start_hanging_worker(parts)
    try:
        assert wait_for_line(process) == b"auditing"
        audit = alice.get(f"{PACKAGE}/audits").json()["items"][0]
        assert audit["state"] == "running"
        assert not Worker(parts).run_one()  # it is held
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    worker = Worker(parts)
    worker._adopt_orphans()  # the next worker on this machine sees that its holder is gone
    assert worker.run_one()
    done = alice.get(f"{PACKAGE}/audits").json()["items"]
    assert [(one["id"], one["state"]) for one in done] == [(audit["id"], "done")]
    assert executor.audited == ["alice/small-sums@1.0.0"]


def test_a_lease_that_ends_frees_the_job_on_another_machine(alice: Api, parts: Parts, clock: FakeClock) -> None:
    alice.publish(make_package())
    with parts.database.writing() as session:
        job_queue.claim_job(session, ["audits.audit_release"], "elsewhere:1:x", clock.now(), 30)
    assert run_jobs(parts) == 0
    clock.advance(31)
    assert run_jobs(parts) == 1


def test_whoever_lost_the_job_writes_nothing(
    alice: Api, parts: Parts, clock: FakeClock, executor: FakeExecutor
) -> None:
    """While one worker audits, its lease ends and another does the work: one report, and it is the second's."""
    alice.publish(make_package())

    def be_overtaken(_plan: object) -> None:
        executor.before_audit = lambda _: None
        clock.advance(3600)
        assert run_jobs(parts) == 1

    executor.before_audit = be_overtaken
    Worker(parts).run_one()
    audits = alice.get(f"{PACKAGE}/audits").json()["items"]
    assert [audit["state"] for audit in audits] == ["done"]
    with parts.database.reading() as session:
        assert job_queue.count_jobs(session) == {"done": 1, "queued": 1}  # it looks for verifiers like it next


def test_a_stopped_worker_gives_its_job_back_at_once(alice: Api, parts: Parts, executor: FakeExecutor) -> None:
    alice.publish(make_package())
    worker = Worker(parts)

    def be_stopped(_plan: object) -> None:
        worker.stop()
        raise RuntimeError("the boxes were ended by the shutdown")

    executor.before_audit = be_stopped
    worker.run_one()
    executor.before_audit = lambda _: None
    assert run_jobs(parts) == 1
    assert alice.get(f"{PACKAGE}/audits").json()["items"][0]["state"] == "done"


def test_two_workers_share_the_jobs(alice: Api, parts: Parts, executor: FakeExecutor) -> None:
    for number in range(4):
        alice.publish(make_package(f"alice/sums{number}"))
    threads = [threading.Thread(target=run_jobs, args=(parts,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(executor.audited) == [f"alice/sums{number}@1.0.0" for number in range(4)]


def test_a_worker_outlives_its_database(parts: Parts, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(parts)
    calls = 0

    def fail_twice() -> bool:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise ConnectionError("the database went away")
        worker.stop()
        return False

    monkeypatch.setattr(worker, "run_one", fail_twice)
    started = time.monotonic()
    worker.run()
    assert calls == 3
    assert time.monotonic() - started < 10


def test_only_the_dead_are_taken_for_dead(parts: Parts, clock: FakeClock) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    host = Worker(parts).owner.split(":")[0]
    owners = {
        f"{host}:{os.getpid()}:a": False,
        f"{host}:{ended.pid}:b": True,
        f"other:{ended.pid}:c": False,
        "odd": False,
    }
    assert {owner: _is_dead(owner, host) for owner in owners} == owners
