"""Who sees what is private: one rule for every query of the hub.

A private package or run is seen by its owner, and by the members of an organisation that owns it. Every transaction has
a :class:`Viewer`. Each SELECT of mapped classes gets one more condition: no row that is private to others, and no row
that refers to one by foreign keys, over any number of tables. So every query is covered without a condition of its own,
and rows that a viewer may not see look as if they did not exist. Writes are not restricted: code that changes a row has
read it first.

A transaction begins with the public's view, until :func:`see_as` sets another viewer.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, FromClause, Table, and_, event, exists, false, not_, or_, select
from sqlalchemy.orm import Mapper, ORMExecuteState, Session, with_loader_criteria
from sqlalchemy.sql import visitors

from hub_server.database.base import Base

MAY_WRITE = "may_write"
"""Key in ``Session.info``: true in a transaction that may write."""
_VIEWER = "viewer"
_PRIVATE = "is_private"
"""The column by which a table's rows may be private to their ``owner``."""
_EXEMPT = frozenset({"package_changes"})
"""Tables that refer to packages and hold no private ones."""
_MOST_IN_ONE_STATEMENT = 500  # older SQLite takes 999 values


@dataclass(frozen=True)
class Viewer:
    """Whose private packages and runs a transaction sees, beside what everybody sees."""

    owners: frozenset[str] = frozenset()
    sees_everything: bool = False
    only_package: str = ""
    """Of what is private to ``owners`` this one package alone, and no run; empty: all of it."""


EVERYBODY = Viewer()
EVERYTHING = Viewer(sees_everything=True)
"""For the operator, and for upkeep that must miss nothing. What it reads must not be shown."""


class ViewedSession(Session):
    """A session whose queries leave out what its viewer does not see."""

    def get(self, entity: Any, ident: Any, **options: Any) -> Any:
        """As always, but none of the rows that the session has in memory from when another viewer asked."""
        found = super().get(entity, ident, **options)
        return found if found is None or _is_seen(found, viewer_of(self)) else None


def see_as(session: Session, viewer: Viewer) -> None:
    """Show the transaction what ``viewer`` may see, from here on."""
    session.info[_VIEWER] = viewer


def viewer_of(session: Session) -> Viewer:
    """The viewer of the transaction."""
    viewer: Viewer = session.info.get(_VIEWER, EVERYBODY)
    return viewer


@contextmanager
def seeing(session: Session, viewer: Viewer) -> Iterator[None]:
    """Within the block the transaction sees what ``viewer`` sees."""
    before = viewer_of(session)
    see_as(session, viewer)
    try:
        yield
    finally:
        see_as(session, before)


@event.listens_for(ViewedSession, "do_orm_execute")
def _leave_out(state: ORMExecuteState) -> None:
    viewer = viewer_of(state.session)
    if viewer.sees_everything or not state.is_select:
        return
    if viewer != EVERYBODY:
        state.statement = _seen_by(state.statement, viewer)
        return
    statement: Any = state.statement
    if statement not in _PUBLIC:
        public = _seen_by(statement, viewer)
        _PUBLIC[statement] = public if public is not statement else None  # itself would keep it for ever
    state.statement = statement if _PUBLIC[statement] is None else _PUBLIC[statement]


_PUBLIC: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""Statement -> the same with the public's conditions (None: it needs none), as long as the statement is there.

Statements that pages ask for are made once. To look through one for its tables, and to have SQLAlchemy find out anew
which one it is, costs as much CPU as to send it and to read its answer.
"""


def _seen_by(statement: Any, viewer: Viewer) -> Any:
    names = {part.name for part in visitors.iterate(statement) if isinstance(part, Table)}
    wanted = [_condition(name, viewer) for name in sorted(names & _restricted().keys())]
    return statement.options(*wanted) if wanted else statement


def _restricted() -> Mapping[str, Mapper[Any]]:
    """Table -> its mapper, of the tables whose rows may be private or refer to one that is."""
    return _restricted_of(len(Base.metadata.tables))


@cache
def _restricted_of(count: int) -> Mapping[str, Mapper[Any]]:  # noqa: ARG001 -- a key of the cache
    """The same for the first ``count`` tables: a module that is imported later may bring more."""
    tables = ((mapper.local_table, mapper) for mapper in Base.registry.mappers)
    return {table.name: mapper for table, mapper in tables if isinstance(table, Table) and leads_to_private(table)}


@lru_cache(20_000)
def _condition(name: str, viewer: Viewer) -> Any:
    """The option that leaves out the rows of a table that ``viewer`` may not see.

    Made for the tables that are asked: for all 34 it took about 60 ms of an account's first request.
    """
    hidden = _hidden(Base.metadata.tables[name], viewer)
    return with_loader_criteria(_restricted()[name].class_, not_(hidden), include_aliases=True)


def _is_seen(row: Any, viewer: Viewer) -> bool:
    """Whether the viewer sees a row that is private or not in itself; others are what they refer to."""
    if viewer.sees_everything or not getattr(row, _PRIVATE, False):
        return True
    return row.owner in viewer.owners and viewer.only_package in ("", row.id)


def leads_to_private(table: Table) -> bool:
    """Whether a row of ``table`` may be private, or may refer to one that is."""
    return table.name not in _EXEMPT and (_PRIVATE in table.c or any(map(leads_to_private, _parents(table))))


def _parents(table: Table) -> list[Table]:
    return [key.referred_table for key in table.foreign_key_constraints if key.referred_table is not table]


def _hidden(table: Table, viewer: Viewer, rows: FromClause | None = None) -> ColumnElement[bool]:
    """That ``viewer`` does not see a row of ``table`` (``rows``: an alias of it), or one that it refers to."""
    rows = table if rows is None else rows
    if _PRIVATE in table.c:
        if not viewer.owners:
            return rows.c[_PRIVATE] == True  # noqa: E712 -- SQL
        others: ColumnElement[bool] = rows.c.owner.not_in(sorted(viewer.owners))
        if viewer.only_package:  # ids of runs are no ids of packages, so no private run is seen
            others = or_(others, rows.c.id != viewer.only_package)
        return and_(rows.c[_PRIVATE], others)
    ways: list[ColumnElement[bool]] = [false()]
    for key in table.foreign_key_constraints:
        parent = key.referred_table
        if parent is table or not leads_to_private(parent):
            continue
        other = parent.alias()
        joined = [rows.c[one.parent.name] == other.c[one.column.name] for one in key.elements]
        ways.append(exists(select(1).select_from(other).where(*joined, _hidden(parent, viewer, other))))
    return or_(*ways)


def owner_of(session: Session, package_id: str) -> str:
    """Who has a package, whether or not the viewer sees it; of a name without a package, whom it is named after."""
    return owners_of(session, [package_id])[package_id]


def owners_of(session: Session, package_ids: Sequence[str]) -> dict[str, str]:
    """The same of several packages, in one statement for each 500."""
    packages, found = Base.metadata.tables["packages"], {one: one.partition("/")[0] for one in package_ids}
    for start in range(0, len(package_ids), _MOST_IN_ONE_STATEMENT):
        part = package_ids[start : start + _MOST_IN_ONE_STATEMENT]
        found.update(session.execute(select(packages.c.id, packages.c.owner).where(packages.c.id.in_(part))).all())
    return found


def private_packages(session: Session, package_ids: Sequence[str]) -> frozenset[str]:
    """Which of these packages are private. A name without a package is not."""
    packages, found = Base.metadata.tables["packages"], set[str]()
    for start in range(0, len(package_ids), _MOST_IN_ONE_STATEMENT):
        part = package_ids[start : start + _MOST_IN_ONE_STATEMENT]
        found.update(
            session.execute(select(packages.c.id).where(packages.c[_PRIVATE], packages.c.id.in_(part))).scalars()
        )
    return frozenset(found)


def private_owners(session: Session, payload: Mapping[str, Any], *, kept: bool = False) -> frozenset[str]:
    """The owners of private packages that a job's ``payload`` names, by their id or that of a release.

    ``kept``: they stay private until this transaction, which writes, has ended. Whoever makes one public locks its row
    first, and waits.
    """
    named = [value for value in payload.values() if isinstance(value, str)]
    packages, releases = Base.metadata.tables["packages"], Base.metadata.tables["releases"]
    of_releases = select(releases.c.package_id).where(releases.c.id.in_(named))
    about = or_(packages.c.id.in_(named), packages.c.id.in_(of_releases))
    wanted = select(packages.c.owner).where(packages.c[_PRIVATE], about)
    if kept:
        wanted = wanted.with_for_update(read=True, key_share=True)
    return frozenset(session.execute(wanted).scalars())
