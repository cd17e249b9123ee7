"""A whole database as one file, and back: SQLite by its own backup, PostgreSQL by ``pg_dump`` and ``pg_restore``."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, inspect, make_url
from sqlalchemy.exc import SQLAlchemyError

from hub_server.errors import ConflictError, StorageUnavailableError

SQLITE, POSTGRESQL = "hub.sqlite3", "hub.pgdump"
"""The file's name in a backup says which database it is of."""


def dump_name(url: str) -> str:
    """The name of the file that a dump of this database has."""
    return SQLITE if make_url(url).get_backend_name() == "sqlite" else POSTGRESQL


def write_dump(url: str, folder: Path) -> Path:
    """One consistent state of the database, in a file of ``folder``. Others may write meanwhile.

    The file has its name only when it is whole and on the disk. Raises ``StorageUnavailableError``.
    """
    target = folder / dump_name(url)
    partial = _fresh(target)
    if target.name == SQLITE:
        _copy_sqlite(Path(str(make_url(url).database)), partial)
    else:
        _run("pg_dump", url, "--format=custom", "--no-owner", f"--file={partial}")
    _sync(partial)
    partial.replace(target)
    return target


def read_dump(dump: Path, url: str) -> None:
    """Make the database what the dump holds. It must be empty: raises ``ConflictError`` where it is not."""
    if dump.name != dump_name(url):
        raise ConflictError(f"{dump.name} is of another kind of database than {make_url(url).get_backend_name()}.")
    refuse_filled(url)
    if dump.name == SQLITE:
        target = Path(str(make_url(url).database))
        partial = _fresh(target)
        _copy_sqlite(dump, partial)
        _sync(partial)
        partial.replace(target)
        return
    _run("pg_restore", url, "--no-owner", "--exit-on-error", "--single-transaction", str(dump))


def refuse_filled(url: str) -> None:
    """Raise ``ConflictError`` where there is a database with tables, ``StorageUnavailableError`` where none answers."""
    if dump_name(url) == SQLITE:
        if Path(str(make_url(url).database)).exists():
            raise ConflictError(f"There is a database already: {make_url(url).database}.")
        return
    try:
        is_filled = _has_tables(url)
    except SQLAlchemyError as error:
        reason = (str(getattr(error, "orig", error)).strip().splitlines() or ["no reason was given"])[0]
        raise StorageUnavailableError(f"The database cannot be opened: {reason}") from None
    if is_filled:
        raise ConflictError("The database holds tables already: restore into an empty one.")


def _copy_sqlite(source: Path, target: Path) -> None:
    """SQLite's own backup: a snapshot, whatever is in the write-ahead log and whoever writes."""
    if not source.is_file():
        raise StorageUnavailableError(f"There is no database {source}.")
    try:
        with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
    except sqlite3.Error as error:
        raise StorageUnavailableError(f"{source} cannot be copied to {target}: {error}") from error


def _fresh(target: Path) -> Path:
    """An empty file beside ``target``, for its owner alone: a database holds password hashes."""
    partial = target.with_suffix(".part")
    partial.unlink(missing_ok=True)
    partial.touch(mode=0o600)
    return partial


def _sync(path: Path) -> None:
    for one in (path, path.parent):
        descriptor = os.open(one, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _has_tables(url: str) -> bool:
    engine = create_engine(url, hide_parameters=True)
    try:
        return bool(inspect(engine).get_table_names())
    finally:
        engine.dispose()


def _run(program: str, url: str, *arguments: str) -> None:
    """Run a program of PostgreSQL's. The password goes by the environment: anybody may read a command line."""
    if shutil.which(program) is None:
        raise StorageUnavailableError(f"{program} is not installed: it belongs to PostgreSQL's client programs.")
    parts = make_url(url)
    address = parts.set(drivername="postgresql", password=None).render_as_string()
    secret = {"PGPASSWORD": parts.password} if parts.password else {}
    done = subprocess.run(
        [program, f"--dbname={address}", *arguments],
        env={**os.environ, **secret},  # noqa: TID251 -- the program's own variables (PGSSLMODE, PGPASSFILE) hold
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        raise StorageUnavailableError(f"{program} failed: {said}")
