"""Read-only mode: one row that says why nothing may be written. Every writing transaction looks for it.

Holds for every process of the hub at once. Once :func:`set_read_only` has committed, no transaction that began before
it can still commit: on PostgreSQL it waits for them under a lock, and SQLite has one writer at a time.
"""

from datetime import datetime

from sqlalchemy import delete, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base
from hub_server.errors import ReadOnlyError

_ONLY = 1


class ReadOnlyRow(Base):
    """The one row of its table while the hub is read-only. Without a row the hub can be written."""

    __tablename__ = "read_only"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    reason: Mapped[str]
    since: Mapped[datetime]


def read_only_reason(session: Session) -> str | None:
    """Why nothing may be written; None: it may."""
    return session.scalar(select(ReadOnlyRow.reason))


def refuse_when_read_only(session: Session) -> None:
    """Raise ``ReadOnlyError`` in read-only mode.

    ``FOR KEY SHARE`` locks no row here. It holds a weak lock on the table until the transaction ends, for which
    :func:`set_read_only` waits. SQLite has no such clause and needs none.
    """
    wanted = select(ReadOnlyRow.reason).with_for_update(read=True, key_share=True)
    reason = session.scalar(wanted)
    if reason is not None:
        raise ReadOnlyError(f"This hub is read-only for now: {reason} Reading works; write again later.")


def set_read_only(session: Session, now: datetime, reason: str) -> None:
    """Refuse every later write, from this transaction's commit on."""
    _wait_for_writers(session)
    session.execute(delete(ReadOnlyRow))
    session.add(ReadOnlyRow(id=_ONLY, reason=reason, since=now))


def set_writable(session: Session) -> None:
    """Let everybody write again."""
    _wait_for_writers(session)
    session.execute(delete(ReadOnlyRow))


def _wait_for_writers(session: Session) -> None:
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("LOCK TABLE read_only IN EXCLUSIVE MODE"))
