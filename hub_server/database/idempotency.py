"""Answers by Idempotency-Key. An answer is stored in the transaction that made it, and kept for a day."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base
from hub_server.errors import IdempotencyConflictError

KEPT_FOR = timedelta(hours=24)  # chosen: longer than any client goes on trying


class IdempotencyRow(Base):
    """One answered key. ``request_hash`` covers method, path and body."""

    __tablename__ = "idempotency_keys"

    account_id: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    request_hash: Mapped[str]
    answer: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


def find_answer(session: Session, account_id: str, key: str, request_hash: str, now: datetime) -> dict[str, Any] | None:
    """The kept answer, or None. Raises ``IdempotencyConflictError`` when the key was used for another request."""
    row = session.scalar(
        select(IdempotencyRow).where(IdempotencyRow.account_id == account_id, IdempotencyRow.key == key)
    )
    if row is None:
        return None
    if row.created_at < now - KEPT_FOR:
        session.delete(row)
        session.flush()
        return None
    if row.request_hash != request_hash:
        raise IdempotencyConflictError("This Idempotency-Key was used for another request: use a fresh one.")
    return row.answer


def keep_answer(
    session: Session, account_id: str, key: str, request_hash: str, answer: dict[str, Any], now: datetime
) -> None:
    """Keep ``answer`` with this transaction. Two at once: one wins, the other gets ``IdempotencyConflictError``."""
    session.add(
        IdempotencyRow(account_id=account_id, key=key, request_hash=request_hash, answer=answer, created_at=now)
    )
    try:
        session.flush()
    except IntegrityError as error:
        raise IdempotencyConflictError(
            "A request with this Idempotency-Key is being answered at this moment: ask again."
        ) from error


def forget_old_answers(session: Session, now: datetime) -> None:
    """Drop what is older than a day."""
    session.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < now - KEPT_FOR))
