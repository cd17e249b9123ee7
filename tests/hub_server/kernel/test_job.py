"""A running job: its effect and its end are one transaction, and whoever lost the lease writes nothing more."""

from contextlib import suppress

import pytest

from hub_server.database import job_queue
from hub_server.database.job_queue import LeaseLostError
from hub_server.kernel.job import RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.parts import Parts
from hub_server.kernel.work import Work
from tests.fakes.clock import FakeClock


def queue(parts: Parts, **more) -> str:
    with parts.database.writing() as session:
        return Work(session, parts, on_behalf_of="alice").queue(JobName.COMPARE, {"n": 1}, **more)


def claim(parts: Parts, owner: str = "a") -> RunningJob | None:
    with parts.database.writing() as session:
        lease = job_queue.claim_job(session, [JobName.COMPARE], owner, parts.clock.now(), 30)
    return RunningJob(lease, parts) if lease is not None else None


def states(parts: Parts) -> dict[str, int]:
    with parts.database.reading() as session:
        return job_queue.count_jobs(session)


def test_a_job_knows_its_payload_and_whose_it_is(parts: Parts) -> None:
    queue(parts)
    job = claim(parts)
    with job.reading() as work:
        assert (job.payload, work.on_behalf_of) == ({"n": 1}, "alice")


def test_a_job_that_a_job_queues_counts_as_the_same_accounts(parts: Parts) -> None:
    queue(parts)
    with claim(parts).writing() as work:
        work.queue(JobName.COMPARE, {"n": 2})
    assert claim(parts).lease.account == "alice"


def test_what_fails_in_the_last_transaction_leaves_the_job_running_and_its_effect_undone(parts: Parts) -> None:
    queue(parts)
    job = claim(parts)
    with suppress(ZeroDivisionError), job.finishing() as work:
        work.queue(JobName.COMPARE, {"n": 2})
        raise ZeroDivisionError
    assert (states(parts), job.is_finished) == ({"running": 1}, False)
    with job.finishing():
        pass
    assert (states(parts), job.is_finished) == ({"done": 1}, True)


def test_after_another_worker_took_over_nothing_is_written(parts: Parts, clock: FakeClock) -> None:
    queue(parts)
    lost = claim(parts, "a")
    clock.advance(31)
    assert claim(parts, "b") is not None
    with pytest.raises(LeaseLostError), lost.writing():
        raise AssertionError("the block was entered")
    with pytest.raises(LeaseLostError), lost.finishing() as work:
        work.queue(JobName.COMPARE, {"n": 2})
    with pytest.raises(LeaseLostError):
        lost.heartbeat()
    assert (states(parts), lost.is_finished) == ({"running": 1}, False)


def test_a_heartbeat_keeps_the_job_from_others(parts: Parts, clock: FakeClock) -> None:
    queue(parts)
    job = claim(parts)
    clock.advance(20)
    job.heartbeat()
    clock.advance(20)
    assert claim(parts, "b") is None


def test_a_job_can_be_queued_for_later_and_only_once_for_a_key(parts: Parts, clock: FakeClock) -> None:
    first = queue(parts, unique_key="k", delay_seconds=60)
    assert queue(parts, unique_key="k") == first
    assert claim(parts) is None
    clock.advance(61)
    assert claim(parts).lease.id == first


def test_a_job_whose_time_is_over_is_told_so_wherever_it_asks(parts: Parts) -> None:
    queue(parts)
    job = claim(parts)
    job.check_not_over()
    job.over.set()
    with pytest.raises(LeaseLostError, match="is over"):
        job.check_not_over()
    with pytest.raises(LeaseLostError), job.reading():
        raise AssertionError("the block was entered")
