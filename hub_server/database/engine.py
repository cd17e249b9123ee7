"""The engine and its two kinds of transaction. No other module of the hub begins or ends one."""

import logging
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hub_server.database.events import append_announced
from hub_server.database.journal import append_recorded
from hub_server.database.json_columns import read_json
from hub_server.database.package_changes import number_changes
from hub_server.database.read_only import refuse_when_read_only
from hub_server.database.visibility import EVERYBODY, MAY_WRITE, ViewedSession, Viewer, see_as
from hub_server.errors import StorageUnavailableError

_log = logging.getLogger(__name__)
_SQLITE_CACHE_KIB = 8192
"""Memory for the pages of one connection. With SQLite's 2 MiB a thousand packages of 50,000 are read anew for every
request, which took 4.2 ms of CPU in place of 2.5; 16 MiB are no faster.
"""


class Database:
    """One database, SQLite or PostgreSQL, by URL.

    ``reading()`` can only read. ``writing()`` commits on return and rolls back on raise. On SQLite a writer begins with
    ``BEGIN IMMEDIATE``: a deferred transaction that upgrades to writing fails at once with "database is locked" when
    another
    wrote in between, whatever the timeout.
    """

    def __init__(
        self,
        url: str,
        *,
        busy_timeout_seconds: float = 15.0,
        pool_size: int = 48,
        connection: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """``connection``: parameters of libpq for PostgreSQL; those that ``url`` names itself stand."""
        self.url = url
        self._connection = connection
        self.is_sqlite = make_url(url).get_backend_name() == "sqlite"
        self.engine = self._make_engine(busy_timeout_seconds, pool_size)
        self._readers = self.engine.execution_options(reads_only=True, postgresql_readonly=True)

    def _make_engine(self, busy_timeout_seconds: float, pool_size: int) -> Engine:
        if not self.is_sqlite:
            engine = create_engine(
                self.url,
                pool_size=pool_size,
                max_overflow=8,
                pool_use_lifo=True,  # the connection that was used last has most statements prepared
                pool_pre_ping=True,
                pool_timeout=15,
                hide_parameters=True,
                json_deserializer=read_json,
                connect_args={"client_encoding": "utf8", **self._not_in_url()},
            )
            event.listen(engine, "handle_error", _drop_row_values)
            return engine
        engine = create_engine(
            self.url,
            hide_parameters=True,
            json_deserializer=read_json,
            connect_args={"timeout": busy_timeout_seconds, "check_same_thread": False},
            pool_size=pool_size,
            max_overflow=8,
            pool_use_lifo=True,  # the connection that was used last has in memory what is read often
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    def _not_in_url(self) -> dict[str, int]:
        named = make_url(self.url).query
        return {name: value for name, value in self._connection.items() if name not in named}

    @contextmanager
    def reading(self, *, sees: Viewer = EVERYBODY) -> Iterator[Session]:
        """A session on one consistent snapshot; writing through it fails. ``sees``: see ``visibility``."""
        with ViewedSession(self._readers, expire_on_commit=False) as session:
            see_as(session, sees)
            yield session
            # Nothing is written. But psycopg forgets every prepared statement of a connection that rolls back, and then
            # PostgreSQL parses and plans each query of each page anew: a package's page took 8 ms of its CPU, now 3.
            session.expunge_all()
            with suppress(DBAPIError):  # the server has gone since the last answer: what was read was read
                session.commit()

    @contextmanager
    def writing(self, *, sees: Viewer = EVERYBODY, even_if_read_only: bool = False) -> Iterator[Session]:
        """A session whose transaction commits when the block returns and rolls back when it raises.

        Raises ``ReadOnlyError`` in read-only mode, which only the command that ends it does not mind.
        """
        with ViewedSession(self.engine, expire_on_commit=False, info={MAY_WRITE: True}) as session:
            see_as(session, sees)
            if self.is_sqlite:
                session.connection()  # Take the write lock now: what is read in this transaction must not change.
            if not even_if_read_only:
                refuse_when_read_only(session)
            yield session
            number_changes(session)
            append_recorded(session)
            append_announced(session)
            session.commit()

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """A connection inside one transaction that excludes every other migration."""
        with self.engine.begin() as connection:
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(7236452190)"))
            yield connection

    def check_encoding(self) -> None:
        """Raise ``StorageUnavailableError`` for a PostgreSQL database that cannot hold every text."""
        if self.is_sqlite:
            return
        with self.engine.connect() as connection:
            encoding = connection.scalar(text("SELECT current_setting('server_encoding')"))
        if encoding != "UTF8":
            raise StorageUnavailableError(
                f"The database's encoding is {encoding}, and texts here are in every script: make it with "
                "`createdb --encoding=UTF8 --template=template0`."
            )

    def check(self) -> None:
        """Raise ``StorageUnavailableError`` unless the database answers."""
        try:
            with self.reading() as session:
                session.execute(text("SELECT 1"))
        except Exception as error:
            _log.warning("the database does not answer: %s", error)  # names host, port and user: not for /readyz
            raise StorageUnavailableError("The database does not answer: the hub's log says why.") from error

    def faults(self) -> list[str]:
        """What SQLite finds wrong with its file, and rows that refer to none, one sentence each. The hub may run.

        PostgreSQL is asked for nothing: its server checks its own pages (``pg_amcheck``) and references.
        """
        if not self.is_sqlite:
            return []
        with self.reading() as session:
            said = [str(row[0]) for row in session.execute(text("PRAGMA integrity_check"))]
            orphans = session.execute(text("PRAGMA foreign_key_check")).all()
        return [line for line in said if line != "ok"] + [
            f"row {row} of {table} refers to a row of {parent} that is not there" for table, row, parent, _ in orphans
        ]

    def close(self) -> None:
        """Give back every connection. Harmless to call twice."""
        self.engine.dispose()


def _drop_row_values(context: ExceptionContext) -> None:
    """Keep PostgreSQL's first sentence and drop the rest.

    Its DETAIL quotes the row, so logs would hold password hashes.
    """
    original, wrapped = context.original_exception, context.sqlalchemy_exception
    primary = getattr(getattr(original, "diag", None), "message_primary", None)
    if primary is None:
        return
    original.args = (primary,)
    if wrapped is not None:
        wrapped.args = (f"({type(original).__module__}.{type(original).__name__}) {primary}",)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    assert isinstance(connection, sqlite3.Connection)
    connection.isolation_level = None  # the driver's own BEGIN is off: _begin_sqlite says which kind
    connection.execute("PRAGMA journal_mode=WAL")
    # NORMAL may lose the newest commits when power fails. FULL costs 0.4 ms a write on the disk where this was
    # measured.
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute(f"PRAGMA cache_size=-{_SQLITE_CACHE_KIB}")


def _begin_sqlite(connection: Connection) -> None:
    reads_only = connection.get_execution_options().get("reads_only", False)
    connection.exec_driver_sql(f"PRAGMA query_only={'ON' if reads_only else 'OFF'}")
    connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")
