"""A running job: its effect and its end are one transaction, and whoever lost the lease writes nothing more."""

from contextlib import suppress

import pytest

from hub_server.database import job_queue
from hub_server.database.job_queue import LeaseLostError
from hub_server.kernel.job import RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from tests.fakes.clock import FakeClock


def queue(services: Services, **more) -> str:
    with services.database.writing() as session:
        return UnitOfWork(session, services, on_behalf_of="alice").queue(JobName.COMPARE, {"n": 1}, **more)


def claim(services: Services, owner: str = "a") -> RunningJob | None:
    with services.database.writing() as session:
        lease = job_queue.claim_job(session, [JobName.COMPARE], owner, services.clock.now(), 30)
    return RunningJob(lease, services) if lease is not None else None


def states(services: Services) -> dict[str, int]:
    with services.database.reading() as session:
        return job_queue.count_jobs(session)


def test_a_job_knows_its_payload_and_whose_it_is(services: Services) -> None:
    queue(services)
    job = claim(services)
    with job.reading() as work:
        assert (job.payload, work.on_behalf_of) == ({"n": 1}, "alice")


def test_a_job_that_a_job_queues_counts_as_the_same_accounts(services: Services) -> None:
    queue(services)
    with claim(services).writing() as work:
        work.queue(JobName.COMPARE, {"n": 2})
    assert claim(services).lease.account == "alice"


def test_what_fails_in_the_last_transaction_leaves_the_job_running_and_its_effect_undone(services: Services) -> None:
    queue(services)
    job = claim(services)
    with suppress(ZeroDivisionError), job.finishing() as work:
        work.queue(JobName.COMPARE, {"n": 2})
        raise ZeroDivisionError
    assert (states(services), job.is_finished) == ({"running": 1}, False)
    with job.finishing():
        pass
    assert (states(services), job.is_finished) == ({"done": 1}, True)


def test_after_another_worker_took_over_nothing_is_written(services: Services, clock: FakeClock) -> None:
    queue(services)
    lost = claim(services, "a")
    clock.advance(31)
    assert claim(services, "b") is not None
    with pytest.raises(LeaseLostError), lost.writing():
        raise AssertionError("the block was entered")
    with pytest.raises(LeaseLostError), lost.finishing() as work:
        work.queue(JobName.COMPARE, {"n": 2})
    with pytest.raises(LeaseLostError):
        lost.heartbeat()
    assert (states(services), lost.is_finished) == ({"running": 1}, False)


def test_a_heartbeat_keeps_the_job_from_others(services: Services, clock: FakeClock) -> None:
    queue(services)
    job = claim(services)
    clock.advance(20)
    job.heartbeat()
    clock.advance(20)
    assert claim(services, "b") is None


def test_a_job_can_be_queued_for_later_and_only_once_for_a_key(services: Services, clock: FakeClock) -> None:
    first = queue(services, unique_key="k", delay_seconds=60)
    assert queue(services, unique_key="k") == first
    assert claim(services) is None
    clock.advance(61)
    assert claim(services).lease.id == first


def test_a_job_whose_time_is_over_is_told_so_wherever_it_asks(services: Services) -> None:
    queue(services)
    job = claim(services)
    job.check_not_over()
    job.over.set()
    with pytest.raises(LeaseLostError, match="is over"):
        job.check_not_over()
    with pytest.raises(LeaseLostError), job.reading():
        raise AssertionError("the block was entered")
