"""Jobs: claimed by one, kept by a lease, never ended twice."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hub_server.database import job_queue
from hub_server.database.engine import Database
from hub_server.database.job_queue import JobSpec, Lease, LeaseLostError
from tests.fakes.clock import FakeClock

LEASE = 30.0


def queue(database: Database, clock: FakeClock, name: str = "work", *, max_attempts: int = 5, **more: object) -> str:
    with database.writing() as session:
        now = clock.now()
        spec = JobSpec(name=name, payload={"n": 1}, run_after=now, max_attempts=max_attempts, **more)
        return job_queue.queue_job(session, spec, now)


def claim(database: Database, clock: FakeClock, owner: str = "a") -> Lease | None:
    with database.writing() as session:
        return job_queue.claim_job(session, ["work"], owner, clock.now(), LEASE)


def in_transaction(database: Database, act) -> None:
    with database.writing() as session:
        act(session)


def test_a_job_is_claimed_by_one(database: Database, clock: FakeClock) -> None:
    job_id = queue(database, clock)
    first, second = claim(database, clock, "a"), claim(database, clock, "b")
    assert first is not None
    assert (first.id, first.payload, second) == (job_id, {"n": 1}, None)


def test_whether_there_is_work_is_told_without_taking_it(database: Database, clock: FakeClock) -> None:
    def is_there(*names: str) -> bool:
        with database.reading() as session:
            return job_queue.has_claimable(session, list(names), clock.now())

    assert not is_there("work")
    queue(database, clock)
    assert (is_there("work"), is_there("other", "work"), is_there("other")) == (True, True, False)
    assert claim(database, clock) is not None
    assert not is_there("work"), "somebody has it"
    clock.advance(LEASE + 1)
    assert is_there("work"), "its worker was lost"


def test_a_job_for_later_is_no_work_yet(database: Database, clock: FakeClock) -> None:
    with database.writing() as session:
        later = clock.now() + timedelta(seconds=60)
        job_queue.queue_job(session, JobSpec("work", {}, later, 5), clock.now())
    with database.reading() as session:
        found = [job_queue.has_claimable(session, ["work"], clock.now() + timedelta(seconds=wait)) for wait in (59, 60)]
    assert found == [False, True]


def test_many_claims_at_once_share_the_jobs_out(database: Database, clock: FakeClock) -> None:
    ids = {queue(database, clock) for _ in range(12)}
    got: list[str] = []

    def work(owner: str) -> None:
        while (one := claim(database, clock, owner)) is not None:
            got.append(one.id)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == sorted(ids)


def claim_account(database: Database, clock: FakeClock, jobs_each: int | None = None) -> str | None:
    with database.writing() as session:
        found = job_queue.claim_job(session, ["work"], "a", clock.now(), LEASE, jobs_each)
    return found.account if found is not None else None


def finish_next(database: Database, clock: FakeClock) -> str:
    with database.writing() as session:
        found = job_queue.claim_job(session, ["work"], "a", clock.now(), LEASE)
        assert found is not None
        job_queue.finish_job(session, found, clock.now())
    return found.account


def test_accounts_take_turns_however_many_jobs_one_has_queued(database: Database, clock: FakeClock) -> None:
    for _ in range(50):
        queue(database, clock, account="eve")
    for account in ("alice", "bob", "alice"):
        queue(database, clock, account=account)
    turns = [finish_next(database, clock) for _ in range(6)]
    assert turns == ["eve", "alice", "bob", "eve", "alice", "eve"]


def test_whoever_has_fewer_jobs_running_comes_first(database: Database, clock: FakeClock) -> None:
    for account in ("eve", "eve", "eve", "alice", "alice"):
        queue(database, clock, account=account)
    assert [claim_account(database, clock) for _ in range(5)] == ["eve", "alice", "eve", "alice", "eve"]


def test_one_account_never_holds_every_lane(database: Database, clock: FakeClock) -> None:
    for account in ("eve", "eve", "", ""):
        queue(database, clock, account=account)
    assert [claim_account(database, clock, jobs_each=1) for _ in range(4)] == ["eve", "", "", None]
    queue(database, clock, account="alice")
    assert claim_account(database, clock, jobs_each=1) == "alice"
    clock.advance(LEASE + 1)  # eve's worker died: what it held no longer counts
    assert claim_account(database, clock, jobs_each=1) == "eve"


def test_a_job_whose_transaction_fails_was_never_queued(database: Database, clock: FakeClock) -> None:
    def fail(session: Session) -> None:
        job_queue.queue_job(
            session, JobSpec(name="work", payload={}, run_after=clock.now(), max_attempts=5), clock.now()
        )
        raise RuntimeError

    with pytest.raises(RuntimeError):
        in_transaction(database, fail)
    assert claim(database, clock) is None


def test_an_abandoned_job_is_taken_over_and_its_first_worker_cannot_end_it(
    database: Database, clock: FakeClock
) -> None:
    queue(database, clock)
    lost = claim(database, clock, "a")
    assert lost is not None
    clock.advance(LEASE + 1)
    taken = claim(database, clock, "b")
    assert taken is not None
    assert (taken.id, taken.attempt) == (lost.id, 2)
    for act in (
        lambda s: job_queue.finish_job(s, lost, clock.now()),
        lambda s: job_queue.extend_lease(s, lost, clock.now()),
        lambda s: job_queue.return_job(s, lost, clock.now(), ""),
        lambda s: job_queue.fail_job(s, lost, clock.now(), ""),
    ):
        with pytest.raises(LeaseLostError):
            in_transaction(database, act)
    in_transaction(database, lambda s: job_queue.finish_job(s, taken, clock.now()))
    assert claim(database, clock) is None


def test_a_lease_that_is_extended_keeps_the_job(database: Database, clock: FakeClock) -> None:
    queue(database, clock)
    kept = claim(database, clock, "a")
    assert kept is not None
    clock.advance(LEASE - 1)
    in_transaction(database, lambda s: job_queue.extend_lease(s, kept, clock.now() + timedelta(seconds=LEASE)))
    clock.advance(LEASE - 1)
    assert claim(database, clock, "b") is None


def test_a_job_that_ends_every_worker_is_given_up_after_hours(database: Database, clock: FakeClock) -> None:
    queue(database, clock, max_attempts=2)
    began, claims = clock.now(), 0
    while True:
        one = claim(database, clock)
        if one is not None:
            claims += 1
            if one.is_exhausted:
                break
        clock.advance(LEASE + 1)
    assert one.losses == job_queue.MOST_LOSSES
    assert claims == job_queue.MOST_LOSSES + 1
    assert clock.now() - began > timedelta(hours=12)


def test_a_hub_that_restarts_again_and_again_buries_no_innocent_job(database: Database, clock: FakeClock) -> None:
    """Forty restarts within minutes, each with the job under way if it was claimed."""
    queue(database, clock, max_attempts=2)
    for number in range(40):
        one = claim(database, clock, f"worker-{number}")
        assert one is None or not one.is_exhausted
        in_transaction(database, lambda s, n=number: job_queue.return_jobs_of(s, [f"worker-{n}"], clock.now()))
        clock.advance(10)
    clock.advance(3601)
    last = claim(database, clock)
    assert last is not None
    assert not last.is_exhausted
    assert last.losses < 10


def test_a_job_that_is_given_back_waits_and_may_keep_its_attempts(database: Database, clock: FakeClock) -> None:
    queue(database, clock)
    one = claim(database, clock)
    assert one is not None
    later = clock.now() + timedelta(seconds=60)
    in_transaction(database, lambda s: job_queue.return_job(s, one, later, "away", counts_as_attempt=False))
    assert claim(database, clock) is None
    clock.advance(61)
    again = claim(database, clock)
    assert again is not None
    assert again.attempt == 1


def test_one_live_job_a_key(database: Database, clock: FakeClock) -> None:
    first = queue(database, clock, unique_key="audit:1")
    assert queue(database, clock, unique_key="audit:1") == first
    one = claim(database, clock)
    assert one is not None
    assert queue(database, clock, unique_key="audit:1") == first  # it runs
    in_transaction(database, lambda s: job_queue.finish_job(s, one, clock.now()))
    assert queue(database, clock, unique_key="audit:1") != first


def test_jobs_of_dead_workers_are_free_at_once(database: Database, clock: FakeClock) -> None:
    queue(database, clock)
    claim(database, clock, "dead")
    assert claim(database, clock, "b") is None
    in_transaction(database, lambda s: job_queue.return_jobs_of(s, job_queue.holders(s), clock.now()))
    assert claim(database, clock, "b") is not None


def test_jobs_of_another_name_are_left_alone(database: Database, clock: FakeClock) -> None:
    queue(database, clock, name="other")
    assert claim(database, clock) is None


def test_a_reader_cannot_write(database: Database, clock: FakeClock) -> None:
    spec = JobSpec(name="work", payload={}, run_after=clock.now(), max_attempts=5)
    with pytest.raises(DBAPIError, match=r"readonly|read-only"), database.reading() as session:
        job_queue.queue_job(session, spec, clock.now())
    assert claim(database, clock) is None
