"""Dumps: what a database holds comes back, on both databases, and never over something else."""

from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text

from hub_server.database import dumps
from hub_server.database.dumps import dump_name, read_dump, refuse_filled, write_dump
from hub_server.database.engine import Database
from hub_server.errors import ConflictError, StorageUnavailableError
from tests.making.altered_library import alter_library


@pytest.fixture
def empty_url(database: Database, tmp_path: Path) -> Iterator[str]:
    """A database of the same kind without a table."""
    if database.is_sqlite:
        yield f"sqlite:///{tmp_path / 'again.sqlite3'}"
        return
    name = f"t_{uuid4().hex[:12]}"
    autocommit = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    with autocommit.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
    yield make_url(database.url).set(database=name).render_as_string(hide_password=False)
    with autocommit.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "backup"
    made.mkdir()
    return made


def test_a_dump_comes_back_with_every_row_and_only_into_an_empty_database(
    database: Database, empty_url: str, folder: Path
) -> None:
    with database.writing() as session:
        session.execute(text("CREATE TABLE things (name TEXT)"))
        session.execute(text("INSERT INTO things VALUES ('caf\u00e9')"))
    dump = write_dump(database.url, folder)
    assert [path.name for path in folder.iterdir()] == [dump_name(database.url)]
    assert dump.stat().st_mode & 0o077 == 0
    read_dump(dump, empty_url)
    again = Database(empty_url)
    with again.reading() as session:
        assert session.scalar(text("SELECT name FROM things")) == "caf\u00e9"
        assert session.scalar(text("SELECT count(*) FROM alembic_version")) == 1
    again.close()
    with pytest.raises(ConflictError, match="already"):
        read_dump(dump, empty_url)


def test_a_database_that_does_not_answer_is_a_refusal_without_the_password() -> None:
    with pytest.raises(StorageUnavailableError, match="cannot be opened") as caught:
        refuse_filled("postgresql+psycopg://hub:SECRET@127.0.0.1:1/hub")
    assert "SECRET" not in str(caught.value)


def test_a_dump_is_of_one_state_while_others_write(database: Database, folder: Path) -> None:
    with database.writing() as session:
        session.execute(text("CREATE TABLE things (name TEXT)"))
    if not database.is_sqlite:
        return  # pg_dump reads one snapshot by itself
    with database.writing() as session:
        session.execute(text("INSERT INTO things VALUES ('not yet')"))
        dump = write_dump(database.url, folder)
    found = Database(f"sqlite:///{dump}")
    with found.reading() as session:
        assert session.scalar(text("SELECT count(*) FROM things")) == 0
    found.close()


def test_a_dump_of_another_kind_and_a_missing_program_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConflictError, match="another kind"):
        read_dump(folder / "hub.sqlite3", "postgresql+psycopg://hub@db/hub")
    alter_library(monkeypatch, dumps, "shutil", which=lambda _: None)
    with pytest.raises(StorageUnavailableError, match="pg_dump is not installed"):
        write_dump("postgresql+psycopg://hub:secret@db/hub", folder)


def test_the_password_is_not_on_the_command_line_nor_in_the_refusal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []

    def run(command: list[str], *, env: dict[str, str], **_: object) -> CompletedProcess[str]:
        ran.append((command, env["PGPASSWORD"]))
        return CompletedProcess(command, 1, "", "first\npg_dump: error: no such server\n")

    alter_library(monkeypatch, dumps, "shutil", which=lambda name: name)
    alter_library(monkeypatch, dumps, "subprocess", run=run)
    with pytest.raises(StorageUnavailableError, match=r"^pg_dump failed: pg_dump: error: no such server$"):
        write_dump("postgresql+psycopg://hub:secret@db/hub", folder)
    ((command, password),) = ran
    assert password == "secret"
    assert "secret" not in " ".join(command)
