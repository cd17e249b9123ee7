"""One true sentence for a database that cannot write now, once, whatever the worker tries meanwhile."""

import logging
import sqlite3
from pathlib import Path

import psycopg.errors
import pytest
from sqlalchemy.exc import OperationalError, ProgrammingError

from hub_server.database.faults import FaultLog, fault_of
from hub_server.kernel.services import Services
from hub_server.worker import Worker
from tests.hub_server.database.test_full_disk import no_space
from tests.making.hub import Api, make_package

FULL = OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))
POSTGRES_FULL = 'could not extend file "base/1/2": No space left on device\nHINT:  Check free disk space.'


def test_a_fault_is_one_sentence_with_what_to_do() -> None:
    assert fault_of(FULL) == "The database cannot do this now: database or disk is full. Free space on its disk."
    postgres = OperationalError("INSERT", {}, psycopg.errors.DiskFull(POSTGRES_FULL))
    assert fault_of(postgres) == (
        'The database cannot do this now: could not extend file "base/1/2": No space left on device.'
        " Free space on its disk."
    )
    assert fault_of(OperationalError("SELECT", {}, psycopg.OperationalError("connection refused"))) == (
        "The database cannot do this now: connection refused."
    )


def test_a_bug_is_no_fault_of_the_database() -> None:
    for bug in (KeyError("x"), ProgrammingError("SELEC", {}, sqlite3.ProgrammingError("syntax"))):
        assert fault_of(bug) is None


def test_a_fault_is_said_once_and_its_end_too_and_a_bug_each_time(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    faults = FaultLog(logging.getLogger("test"), "the worker")
    faults.clear()
    for _ in range(3):
        faults.note(FULL, "the queue could not be read")
    faults.clear()
    faults.clear()
    faults.note(FULL, "the queue could not be read")
    said = [record.getMessage() for record in own_records(caplog)]
    assert [one.startswith("The database cannot do this now: database or disk is full.") for one in said] == [
        True,
        False,
        True,
    ]
    assert said[0].endswith("The worker waits, and tries again until it can.")
    assert "works again" in said[1]
    assert not any(record.exc_info for record in own_records(caplog))
    for _ in range(2):
        faults.note(KeyError("x"), "the queue could not be read")
    assert [bool(record.exc_info) for record in own_records(caplog)[-2:]] == [True, True]


def own_records(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """Without what threads of other tests say."""
    return [record for record in caplog.records if record.name == "test"]


class TestOnAFullDisk:
    """A worker of a hub whose disk has filled up."""

    @pytest.fixture
    def database_url(self, sqlite_template: Path, small_disk: Path) -> str:
        path = small_disk / "hub.sqlite3"
        path.write_bytes(sqlite_template.read_bytes())
        return f"sqlite:///{path}"

    def test_it_says_so_in_one_line_and_goes_on_when_there_is_room(
        self, alice: Api, services: Services, small_disk: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        assert alice.publish(make_package()).status_code == 201
        worker = Worker(services)
        with no_space(small_disk):
            _rounds(worker, 3)
        faults = [record for record in caplog.records if record.name == "hub_server.worker" and record.levelno >= 40]
        assert len(faults) == 1
        assert "disk is full. Free space on its disk. The worker waits" in faults[0].getMessage()
        assert faults[0].exc_info is None
        _rounds(worker, 5)
        assert "the database works again, and the worker goes on" in caplog.text
        assert alice.get("/api/v1/packages/alice/small-sums/audits").json()["items"][0]["state"] == "done"


def _rounds(worker: Worker, count: int) -> None:
    """So many rounds of ``Worker.run``, without its pauses."""
    left = iter(range(count))

    class Rounds:
        def is_set(self) -> bool:
            return next(left, None) is None

        def wait(self, _seconds: float) -> None:
            """No pause."""

    worker._stopping = Rounds()  # type: ignore[assignment]
    worker.run()
