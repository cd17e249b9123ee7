"""Who changed what: a row for each change that an account made, written in the transaction that makes it.

A row names the act, the address that it was sent to, and what kind of credential it came by. It holds no body, no
secret and no network address. What moderators and operators do stands in a log of its own, for everybody to read.
"""

from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, Index, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base, new_id

KEPT = timedelta(days=400)  # chosen: a year, and a month to look at it
_NOTED = "activity_noted"
_LONGEST = 200  # chosen, not measured: a row of each change, whatever its target is called


class ActivityRow(Base):
    """One change. Rows are only ever added, and deleted after :data:`KEPT`."""

    __tablename__ = "activity"
    __table_args__ = (Index("ix_activity_account_id_id", "account_id", "id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    act: Mapped[str]
    """In words: ``Make a token``."""
    target: Mapped[str]
    """The path that it was sent to, or empty."""
    by: Mapped[str]
    """The credential: ``password``, ``session``, ``token`` or ``mail``."""


def note(session: Session, at: datetime, account_id: str, act: str, *, target: str = "", by: str = "password") -> None:
    """Write down what ``account_id`` does. The first note of a transaction stands; others are passed over."""
    if session.info.get(_NOTED):
        return
    session.info[_NOTED] = True
    session.add(ActivityRow(id=new_id(at), at=at, account_id=account_id, act=act, target=target[:_LONGEST], by=by))


def page_of(session: Session, account_id: str | None, before: str | None, limit: int) -> list[ActivityRow]:
    """Rows, newest first, of one account or of all, older than the id ``before``."""
    wanted = select(ActivityRow).order_by(ActivityRow.id.desc()).limit(limit)
    if account_id is not None:
        wanted = wanted.where(ActivityRow.account_id == account_id)
    if before is not None:
        wanted = wanted.where(ActivityRow.id < before)
    return list(session.scalars(wanted))


def forget_old(session: Session, now: datetime) -> None:
    """Delete rows that are older than :data:`KEPT`."""
    session.execute(delete(ActivityRow).where(ActivityRow.at < now - KEPT))
