"""The unit of work: its day, and the jobs that it queues."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy.orm import Session

from hub_server.database import job_queue
from hub_server.kernel.caller import Caller
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from tests.fakes.clock import FakeClock

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
TOKYO = timezone(timedelta(hours=9))
BOB = Caller(account_id="1", name="bob", scopes=frozenset())


@pytest.mark.parametrize(
    ("now", "day"),
    [
        (datetime(2026, 11, 22, 8, 59, tzinfo=TOKYO), "2026-11-21"),
        (datetime(2026, 11, 21, 23, 59, tzinfo=UTC), "2026-11-21"),
        (datetime(2026, 11, 22, 0, 0, tzinfo=UTC), "2026-11-22"),
    ],
)
def test_the_day_is_that_of_utc_wherever_the_clock_is(services: Services, now: datetime, day: str) -> None:
    assert UnitOfWork(Session(), replace(services, clock=FakeClock(now))).today == day


def test_a_job_waits_its_delay_and_counts_as_its_callers(services: Services, clock: FakeClock) -> None:
    def claimed() -> job_queue.Lease | None:
        with services.database.writing() as session:
            return job_queue.claim_job(session, [JobName.REPLAY_CASE], "me", clock.now(), 30)

    with services.database.writing() as session:
        UnitOfWork(session, services, BOB).queue(JobName.REPLAY_CASE, {"case": 1}, delay_seconds=60)
    assert claimed() is None
    clock.advance(61)
    lease = claimed()
    assert lease is not None
    assert (lease.account, lease.payload) == ("bob", {"case": 1})


def test_a_job_that_a_job_queues_counts_as_the_account_that_caused_the_first(
    services: Services, clock: FakeClock
) -> None:
    with services.database.writing() as session:
        UnitOfWork(session, services, on_behalf_of="carol").queue(JobName.COMPARE, {})
        lease = job_queue.claim_job(session, [JobName.COMPARE], "me", clock.now(), 30)
    assert lease is not None
    assert lease.account == "carol"


def test_a_job_with_the_same_key_is_queued_once_and_nothing_is_queued_by_what_rolls_back(services: Services) -> None:
    with services.database.writing() as session:
        work = UnitOfWork(session, services)
        first = work.queue(JobName.COMPARE, {"n": 1}, unique_key="one")
        assert work.queue(JobName.COMPARE, {"n": 2}, unique_key="one") == first
        assert work.queue(JobName.COMPARE, {"n": 3}) != first

    def queue_and_fail() -> None:
        with services.database.writing() as session:
            UnitOfWork(session, services).queue(JobName.COMPARE, {"n": 4})
            raise LookupError

    with pytest.raises(LookupError):
        queue_and_fail()
    with services.database.reading() as session:
        assert job_queue.count_jobs(session) == {"queued": 2}
