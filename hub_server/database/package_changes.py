"""Which packages changed, in the order of the commits: what follows the catalogue (the search index) reads on from the
last position that it has seen.

Positions are given in the last statements of a transaction, under a lock that ends with it. So a reader who sees a
position has seen every smaller one: without the lock, a transaction with a smaller number could commit later, and be
passed over. The lock is the last one that a transaction takes, so it deadlocks with no other. What takes
it first (the journal's completion) may wait for no row that another transaction writes.
"""

from functools import cache

from sqlalchemy import BigInteger, ForeignKey, Select, func, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base, OrderedText

_CHANGED = "changed_packages"
_LOCK = 7236452191  # any number, but another than in publishing/queries.py: a database has one space for these locks
_MOST_IN_ONE_STATEMENT = 500  # older SQLite takes 999 values


class PackageChangeRow(Base):
    """The last change of a package. ``position`` grows with every change on this hub, whatever the package."""

    __tablename__ = "package_changes"

    package_id: Mapped[str] = mapped_column(OrderedText, ForeignKey("packages.id"), primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger, unique=True)


def mark_changed(session: Session, package_id: str) -> None:
    """Note that lists and search must read ``package_id`` again, from this transaction's commit on."""
    session.info.setdefault(_CHANGED, {})[package_id] = None


def number_changes(session: Session) -> None:
    """Give every package that was marked in this transaction its position. Called once, before the commit."""
    changed: list[str] = list(session.info.pop(_CHANGED, ()))
    if not changed:
        return
    session.flush()
    exclude_other_numbers(session)
    position = newest_position(session)
    for start in range(0, len(changed), _MOST_IN_ONE_STATEMENT):
        part = changed[start : start + _MOST_IN_ONE_STATEMENT]
        known = {
            row.package_id: row
            for row in session.scalars(select(PackageChangeRow).where(PackageChangeRow.package_id.in_(part)))
        }
        for package_id in part:
            position += 1
            if package_id in known:
                known[package_id].position = position
            else:
                session.add(PackageChangeRow(package_id=package_id, position=position))
        session.flush()


def exclude_other_numbers(session: Session) -> None:
    """Lock the numbering of changes until this transaction ends. Harmless to call twice."""
    if session.get_bind().dialect.name == "postgresql":  # SQLite has one writer at a time
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def newest_position(session: Session) -> int:
    """The position of the last change; 0 on a hub without packages."""
    return session.scalar(_newest()) or 0


@cache  # every list of packages asks for it
def _newest() -> "Select[int | None]":
    return select(func.max(PackageChangeRow.position))


def changes_after(session: Session, position: int, limit: int) -> list[PackageChangeRow]:
    """What changed after ``position``, at most ``limit`` packages, in order."""
    statement = select(PackageChangeRow).where(PackageChangeRow.position > position)
    return list(session.scalars(statement.order_by(PackageChangeRow.position).limit(limit)))
