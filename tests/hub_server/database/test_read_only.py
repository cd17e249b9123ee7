"""Read-only mode holds for every process at once, and after it has begun nothing is committed any more."""

import threading

import pytest
from sqlalchemy import text

from hub_server.database.engine import Database
from hub_server.database.job_queue import JobSpec, queue_job
from hub_server.database.read_only import read_only_reason, set_read_only, set_writable
from hub_server.errors import ReadOnlyError
from tests.fakes.clock import FakeClock


def switch(database: Database, clock: FakeClock, reason: str | None) -> None:
    with database.writing(even_if_read_only=True) as session:
        if reason is None:
            set_writable(session)
        else:
            set_read_only(session, clock.now(), reason)


def write(database: Database, clock: FakeClock) -> None:
    with database.writing() as session:
        queue_job(session, JobSpec(name="x", payload={}, run_after=clock.now(), max_attempts=1), clock.now())


def jobs(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(text("SELECT count(*) FROM jobs"))


def test_who_wants_to_write_reads_why_not_and_readers_go_on(database: Database, clock: FakeClock) -> None:
    write(database, clock)
    switch(database, clock, "The disks are changed.")
    switch(database, clock, "The disks are changed until 14:00.")  # said again, it replaces the reason
    with pytest.raises(ReadOnlyError, match="The disks are changed until 14:00"):
        write(database, clock)
    assert jobs(database) == 1
    with database.reading() as session:
        assert read_only_reason(session) == "The disks are changed until 14:00."
    switch(database, clock, None)
    write(database, clock)
    assert jobs(database) == 2


def test_it_begins_only_after_those_who_are_writing(database: Database, clock: FakeClock) -> None:
    """Else a backup that starts when the command returns could miss what is committed after it."""
    begun, go_on, order = threading.Event(), threading.Event(), []

    def slow_writer() -> None:
        with database.writing() as session:
            queue_job(session, JobSpec(name="x", payload={}, run_after=clock.now(), max_attempts=1), clock.now())
            begun.set()
            go_on.wait(60)
            order.append("written")

    def operator() -> None:
        switch(database, clock, "x")
        order.append("read-only")

    threads = [threading.Thread(target=slow_writer), threading.Thread(target=operator)]
    threads[0].start()
    begun.wait(60)
    threads[1].start()
    threads[1].join(0.2)  # it has every chance to overtake
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert order == ["written", "read-only"]
    assert jobs(database) == 1
