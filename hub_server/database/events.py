"""What happened on the hub, in the order of the commits: what tells others (webhooks, mail, mirrors) reads on from the
last number that it has seen.

Events get their numbers in the last statements of a transaction, under the lock that numbers changes of packages
(``database.package_changes``). So a reader who sees a number has seen every smaller one, whichever transaction began
first. Every event has a ``number``; a public one also has a ``position``, so that public positions have no gaps from
which strangers could count what is private.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base
from hub_server.database.package_changes import exclude_other_numbers
from hub_server.database.visibility import EVERYTHING, seeing
from schemas.events import EventKind

_ANNOUNCED = "announced_events"


class EventRow(Base):
    """One event. Rows are only ever added."""

    __tablename__ = "events"
    __table_args__ = (Index("ix_events_owner_number", "owner", "number"),)

    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    position: Mapped[int | None] = mapped_column(BigInteger, unique=True)
    """Among public events; None where it is about something private."""
    kind: Mapped[str]
    at: Mapped[datetime]
    owner: Mapped[str]
    package_id: Mapped[str | None] = mapped_column(ForeignKey("packages.id"))
    version: Mapped[str | None]
    run_id: Mapped[str | None] = mapped_column(ForeignKey("runs.id"))
    facts: Mapped[dict[str, Any]]


class EventFollowerRow(Base):
    """How far a part of the hub that follows events has come."""

    __tablename__ = "event_followers"

    name: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger)


@dataclass(frozen=True)
class NewEvent:
    """An event that has no number yet."""

    kind: EventKind
    at: datetime
    owner: str
    package_id: str | None = None
    version: str | None = None
    run_id: str | None = None
    facts: dict[str, str] = field(default_factory=dict)


def announce(session: Session, event: NewEvent) -> None:
    """Tell others of ``event`` once this transaction has committed."""
    session.info.setdefault(_ANNOUNCED, []).append(event)


def append_announced(session: Session) -> None:
    """Give the transaction's events their numbers. Called once, before the commit."""
    events: list[NewEvent] = session.info.pop(_ANNOUNCED, [])
    if not events:
        return
    session.flush()
    exclude_other_numbers(session)
    # Asked under the lock: a package that another transaction made public before is public here.
    private = _private_among(session, events)
    with seeing(session, EVERYTHING):
        number, position = newest_number(session), newest_position(session)
    for event in events:
        is_private = event.package_id in private or event.run_id in private
        number += 1
        position += 0 if is_private else 1
        session.add(
            EventRow(
                number=number,
                position=None if is_private else position,
                kind=event.kind.value,
                at=event.at,
                owner=event.owner,
                package_id=event.package_id,
                version=event.version,
                run_id=event.run_id,
                facts=event.facts,
            )
        )
    session.flush()


def _private_among(session: Session, events: Sequence[NewEvent]) -> set[str | None]:
    """The ids of private packages and runs that these events are about."""
    found: set[str | None] = set()
    for table, named in (
        ("packages", {event.package_id for event in events if event.package_id}),
        ("runs", {event.run_id for event in events if event.run_id}),
    ):
        if named:
            rows = Base.metadata.tables[table]
            found |= set(session.scalars(select(rows.c.id).where(rows.c.id.in_(sorted(named)), rows.c.is_private)))
    return found


def newest_number(session: Session) -> int:
    """The number of the last event; 0 before the first."""
    return session.scalar(select(func.max(EventRow.number))) or 0


def newest_position(session: Session) -> int:
    """The position of the last public event; 0 before the first."""
    return session.scalar(select(func.max(EventRow.position))) or 0


def public_events(session: Session, after: int, until: int, limit: int) -> list[EventRow]:
    """Public events after one position up to another, in order."""
    statement = select(EventRow).where(EventRow.position > after, EventRow.position <= until)
    return list(session.scalars(statement.order_by(EventRow.position).limit(limit)))


def events_of_owner(session: Session, owner: str, after: int, limit: int) -> list[EventRow]:
    """Events of an owner, private ones too, after the first ``after`` of them, in order."""
    statement = select(EventRow).where(EventRow.owner == owner).order_by(EventRow.number)
    return list(session.scalars(statement.offset(after).limit(limit)))


def count_events_of_owner(session: Session, owner: str) -> int:
    """How many events an owner has, private ones too."""
    return session.scalar(select(func.count()).select_from(EventRow).where(EventRow.owner == owner)) or 0


def has_new(session: Session, follower: str) -> bool:
    """Whether something happened that ``follower`` has not seen. The session must see everything."""
    seen = session.get(EventFollowerRow, follower)
    return newest_number(session) > (seen.number if seen is not None else 0)


def take_new(session: Session, follower: str, limit: int) -> list[EventRow]:
    """The next events for ``follower``, which has seen them once this transaction commits.

    Of two processes that ask at once the second waits, and gets what comes after. The session must see everything.
    """
    seen = session.scalar(select(EventFollowerRow).where(EventFollowerRow.name == follower).with_for_update())
    if seen is None:
        exclude_other_numbers(session)  # of two that begin at once, one makes the row
        seen = session.get(EventFollowerRow, follower, with_for_update=True)
    if seen is None:
        seen = EventFollowerRow(name=follower, number=0)
        session.add(seen)
    statement = select(EventRow).where(EventRow.number > seen.number).order_by(EventRow.number).limit(limit)
    rows = list(session.scalars(statement))
    if rows:
        seen.number = rows[-1].number
    return rows
