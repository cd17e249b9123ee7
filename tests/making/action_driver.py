"""A hub's actions without HTTP, on SQLite: callers, units of work, accounts and releases, each made in a moment."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import event, text

from hub_server.accounts.models import ORGANIZATION, PERSON, AccountRow, MembershipRow
from hub_server.accounts.rules.names import fold_name
from hub_server.kernel.caller import Caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import actions as publishing
from schemas.account import Scope
from schemas.names import digest_of
from schemas.package import Release
from tests.fakes.clock import FakeClock
from tests.fakes.executor import FakeExecutor
from tests.making.catalogue import make_services
from tests.making.hub import make_package, run_jobs

P = ParamSpec("P")
Result = TypeVar("Result")
EVERY_SCOPE = frozenset(Scope)


def caller(name: str, **more: Any) -> Caller:
    """An account by a token with every scope; ``more`` replaces fields."""
    return replace(Caller(account_id=f"id-{name}", name=name, scopes=EVERY_SCOPE), **more)


def person(name: str, **more: Any) -> Caller:
    """An account at a browser that has just typed its password; ``more`` replaces fields."""
    return replace(caller(name), **{"by_session": True, "is_proven": True, **more})


class ActionDriver:
    """What a route or a job does around an action: one transaction, one caller."""

    def __init__(self, services: Services) -> None:
        self.executor = FakeExecutor()
        self.services = replace(services, executor=self.executor)

    @property
    def clock(self) -> FakeClock:
        assert isinstance(self.services.clock, FakeClock)
        return self.services.clock

    @contextmanager
    def writing(self, by: Caller | None = None) -> Iterator[UnitOfWork]:
        with self.services.database.writing() as session:
            yield UnitOfWork(session, self.services, by)

    @contextmanager
    def reading(self, by: Caller | None = None) -> Iterator[UnitOfWork]:
        with self.services.database.reading() as session:
            yield UnitOfWork(session, self.services, by)

    def do(
        self, by: Caller | None, action: Callable[Concatenate[UnitOfWork, P], Result], *args: P.args, **kwargs: P.kwargs
    ) -> Result:
        """One action in a transaction of its own."""
        with self.writing(by) as work:
            return action(work, *args, **kwargs)

    def ask(
        self, by: Caller | None, action: Callable[Concatenate[UnitOfWork, P], Result], *args: P.args, **kwargs: P.kwargs
    ) -> Result:
        """One action that must not write: the database refuses it."""
        with self.reading(by) as work:
            return action(work, *args, **kwargs)

    def person(self, name: str, **more: Any) -> Caller:
        """An account that exists, without a password; as a person at a browser."""
        self._add(name, PERSON)
        return person(name, **more)

    def organization(self, name: str, **roles: str) -> None:
        """An organisation with these members (name=role)."""
        self._add(name, ORGANIZATION)
        with self.writing() as work:
            for member, role in roles.items():
                row = MembershipRow(
                    organization_id=f"id-{name}", account_id=f"id-{member}", role=role, created_at=work.now
                )
                work.session.add(row)

    def _add(self, name: str, kind: str) -> None:
        with self.writing() as work:
            row = AccountRow(id=f"id-{name}", name=name, name_folded=fold_name(name), kind=kind, created_at=work.now)
            work.session.add(row)

    def publish(self, by: Caller, package: str = "alice/small-sums", version: str = "1.0.0", **more: Any) -> Release:
        """A release, as publishing makes it; its audit is queued."""
        wheel = make_package(package, version, **more)
        digest, path = digest_of(wheel), self.services.settings.data / "fresh.whl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wheel)
        inspection = self.services.inspector.inspect(path, digest)
        self.services.blobs.put_file(path, digest)
        return self.do(by, publishing.make_release, inspection).release

    def run_jobs(self) -> int:
        """Everything that waits, also what was put off for a minute and what that queues in turn; returns how many."""
        total = 0
        while True:
            self.clock.advance(60)
            count = run_jobs(self.services)
            total += count
            if not count:
                return total

    def forget_journal(self) -> None:
        """As if all that was published had been published before this hub kept a journal."""
        with self.writing() as work:
            for table in ("journal_entries", "journal_nodes"):
                work.session.execute(text(f"DELETE FROM {table}"))

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """What the database holds."""
        with self.reading() as work:
            return [tuple(row) for row in work.session.execute(text(statement), values)]

    @contextmanager
    def statements(self) -> Iterator[list[str]]:
        """The SQL that is sent meanwhile."""
        sent: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
            sent.append(statement)

        engine = self.services.database.engine
        event.listen(engine, "before_cursor_execute", note)
        try:
            yield sent
        finally:
            event.remove(engine, "before_cursor_execute", note)

    def plan_of(self, statement: str) -> str:
        """How SQLite would find the rows: which index, or a scan of all."""
        return " ".join(str(row[-1]) for row in self.rows(f"EXPLAIN QUERY PLAN {statement}"))


def open_driver(folder: Path, template: Path) -> ActionDriver:
    """A driver on a copy of the migrated database ``template``."""
    shutil.copy(template, folder / "hub.sqlite3")
    services = make_services(folder)
    event.listen(services.database.engine, "connect", trust_the_disk)
    return ActionDriver(services)


def trust_the_disk(connection: Any, _record: Any) -> None:
    """A test's database outlives no power cut: without waiting for the disk a transaction takes a tenth of the time."""
    connection.execute("PRAGMA synchronous=OFF")
