"""The database: what commits is on the disk, what reads cannot write, what raises leaves nothing."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError

from hub_server.accounts.models import AccountRow
from hub_server.database.base import Base
from hub_server.database.engine import Database
from hub_server.errors import StorageUnavailableError
from hub_server.settings import ServerSettings
from hub_server.settings_groups import ConnectionSettings, StorageSettings
from hub_server.wiring import open_database
from tests.making.action_driver import ActionDriver

DAY = datetime(2026, 1, 1, tzinfo=UTC)
ON_POSTGRES = pytest.mark.parametrize(
    "database_url", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


def make_table(database: Database) -> None:
    with database.writing() as session:
        session.execute(text("CREATE TABLE things (name TEXT)"))


def names(database: Database) -> list[str]:
    with database.reading() as session:
        return list(session.scalars(text("SELECT name FROM things ORDER BY name")))


def add(database: Database, name: str) -> None:
    with database.writing() as session:
        session.execute(text("INSERT INTO things VALUES (:name)"), {"name": name})


def test_a_commit_is_on_the_disk_before_it_is_acknowledged(tmp_path: Path) -> None:
    """SQLite's level 2 (FULL) waits for the disk at each commit; with 1, power loss takes the newest ones."""
    database = Database(f"sqlite:///{tmp_path / 'hub.sqlite3'}")
    with database.writing(even_if_read_only=True) as session:
        assert session.scalar(text("PRAGMA synchronous")) == 2
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
        assert session.scalar(text("PRAGMA foreign_keys")) == 1
    database.close()


def test_sqlite_keeps_what_is_read_often_in_the_connection_that_is_used_next(tmp_path: Path) -> None:
    """With its 2 MiB, and connections in turn, a thousand rows of a large hub were read from the file every time."""
    database = Database(f"sqlite:///{tmp_path}/hub.sqlite3")

    def used() -> int:
        with database.reading() as session:
            assert session.scalar(text("PRAGMA cache_size")) == -8192
            return id(session.connection().connection.dbapi_connection)

    with database.reading() as one, database.reading() as other:
        assert one.scalar(text("SELECT 1")) == other.scalar(text("SELECT 1"))
    assert len({used() for _ in range(4)}) == 1
    database.close()


@ON_POSTGRES
def test_what_postgresql_has_prepared_for_one_page_serves_the_next(database_url: str) -> None:
    """psycopg forgets all of a connection that rolls back: each query of each page was parsed and planned anew."""
    database = Database(database_url)
    for _ in range(8):
        with database.reading() as session:
            session.execute(text("SELECT name FROM accounts WHERE name = :name"), {"name": "alice"})
    with database.reading() as session:
        prepared = session.scalars(text("SELECT statement FROM pg_prepared_statements")).all()
    assert [one for one in prepared if "FROM accounts" in one]
    database.close()


@ON_POSTGRES
def test_a_server_that_goes_after_the_last_answer_costs_no_page_that_was_read(database_url: str) -> None:
    database = Database(database_url)
    with database.reading() as session:
        backend = session.scalar(text("SELECT pg_backend_pid()"))
        with database.engine.connect() as another:
            assert another.scalar(text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": backend})
    with database.reading() as session:
        assert session.scalar(text("SELECT 1")) == 1
    assert database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    database.close()


@pytest.mark.parametrize("fault", ["SELECT 1/0", "CREATE TABLE more (a INTEGER)", "SELECT nothing FROM nowhere"])
def test_a_query_that_fails_while_reading_harms_no_later_one(database: Database, fault: str) -> None:
    with database.reading() as session, suppress(DBAPIError):
        session.execute(text(fault))
    with database.reading() as session:
        assert session.scalars(text("SELECT id FROM accounts")).all() == []


def test_what_was_changed_while_reading_is_not_written(database: Database) -> None:
    with database.writing() as session:
        account = AccountRow(id="a1", name="alice", name_folded="alice", email="a@example.org", created_at=DAY)
        session.add(account)
    with database.reading() as session:
        found = session.get_one(AccountRow, "a1")
        found.email = "changed@example.org"
    assert found.name == "alice", "what was read stays readable"
    with database.reading() as session:
        assert session.get_one(AccountRow, "a1").email == "a@example.org"


def test_a_block_that_raises_leaves_nothing(database: Database) -> None:
    make_table(database)
    add(database, "kept")

    def add_and_fail() -> None:
        with database.writing() as session:
            session.execute(text("INSERT INTO things VALUES ('lost')"))
            raise LookupError

    with pytest.raises(LookupError):
        add_and_fail()
    assert names(database) == ["kept"]


def test_what_reads_cannot_write(database: Database) -> None:
    make_table(database)

    def write_in_reading() -> None:
        with database.reading() as session:
            session.execute(text("INSERT INTO things VALUES ('x')"))

    with pytest.raises(DBAPIError):
        write_in_reading()
    add(database, "still possible")
    assert names(database) == ["still possible"]


def test_a_reader_keeps_its_snapshot_while_others_write(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'hub.sqlite3'}")
    Base.metadata.create_all(database.engine)
    make_table(database)
    with database.reading() as session:
        before = session.scalar(text("SELECT count(*) FROM things"))
        add(database, "new")
        assert session.scalar(text("SELECT count(*) FROM things")) == before == 0
    assert names(database) == ["new"]
    database.close()


def test_an_error_quotes_no_value_of_the_row(database: Database) -> None:
    with database.writing() as session:
        session.execute(text("CREATE TABLE secrets (id INTEGER PRIMARY KEY, word TEXT)"))
        session.execute(text("INSERT INTO secrets VALUES (1, 'first')"))

    def add_again() -> None:
        with database.writing() as session:
            session.execute(text("INSERT INTO secrets VALUES (1, :word)"), {"word": "hunter2"})

    with pytest.raises(DBAPIError) as caught:
        add_again()
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(caught.value.orig)


def test_a_database_that_is_not_there_is_unavailable_in_words_that_tell_strangers_nothing_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = Database(f"sqlite:///{tmp_path / 'no' / 'folder' / 'hub.sqlite3'}")
    with pytest.raises(StorageUnavailableError, match="does not answer") as caught:
        database.check()
    assert "sqlite" not in caught.value.detail.lower()
    assert "unable to open database file" in caplog.text
    database.close()


def parameters_of(database: Database) -> dict[str, str]:
    """What the driver was given for a connection."""
    with database.engine.connect() as connection:
        driver = connection.connection.dbapi_connection
        assert driver is not None
        return dict(driver.info.get_parameters())


@ON_POSTGRES
def test_a_hub_says_when_a_connection_is_given_up(database_url: str) -> None:
    with closing(open_database(ServerSettings(storage=StorageSettings(database_url=database_url)))) as database:
        found = parameters_of(database)
    expected = {  # keepalives=1 is libpq's default, which is not among what it tells
        "connect_timeout": "10", "tcp_user_timeout": "30000", "keepalives_idle": "15", "keepalives_interval": "5",
        "keepalives_count": "3",
    }  # fmt: skip
    assert {name: found.get(name) for name in expected} == expected


def can_drop_packets() -> bool:
    needed = ("unshare", "ip", "iptables")
    if os.geteuid() != 0 or not all(map(shutil.which, needed)):
        return False
    return subprocess.run(["unshare", "--net", "iptables", "-L"], check=False, capture_output=True).returncode == 0


@ON_POSTGRES
@pytest.mark.skipif(not can_drop_packets(), reason="root, unshare, ip and iptables make a server vanish")
def test_who_waits_for_a_server_that_vanishes_is_told(database_url: str) -> None:
    """The kernel sends again for a quarter of an hour, and waits for an answer for ever: so did a hub's threads."""
    folder = make_url(database_url).query["host"]
    [path] = [path for path in Path(str(folder)).iterdir() if path.name.startswith(".s.PGSQL") and path.is_socket()]
    command = [sys.executable, "-m", "tests.hub_server.database.vanishing_server", database_url, str(path)]
    said = subprocess.run(["unshare", "--net", *command], check=False, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    for statement, (ended, _) in found.items():
        assert ended == "given up", statement
    assert len(found) == 2


@ON_POSTGRES
def test_what_the_address_says_of_its_connection_stands(database_url: str) -> None:
    url = make_url(database_url).update_query_dict({"tcp_user_timeout": "7000"})
    given = ConnectionSettings(idle_seconds=3).for_driver()
    with closing(Database(url.render_as_string(hide_password=False), connection=given)) as database:
        found = parameters_of(database)
    assert (found["tcp_user_timeout"], found["keepalives_idle"]) == ("7000", "3")


def test_rows_that_refer_to_none_are_faults(driver: ActionDriver) -> None:
    database = driver.services.database
    assert database.faults() == []
    with closing(sqlite3.connect(str(make_url(database.url).database))) as file:  # checks no references by itself
        file.execute("INSERT INTO download_days VALUES ('nobody/none', '2026-11-21', 1, 1)")
        file.commit()
    assert database.faults() == ["row 1 of download_days refers to a row of packages that is not there"]
