"""Every SQL statement about keys and entries, but the one that adds entries."""

import contextlib
from functools import cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.database.journal import JournalEntryRow
from hub_server.journal.models import FollowedJournalRow, SigningKeyRow
from schemas.journal.entries import Act


def find_signing_key(session: Session, key_id: str) -> SigningKeyRow | None:
    """The public key of that id, or None."""
    return session.get(SigningKeyRow, key_id)


def add_signing_key(session: Session, row: SigningKeyRow) -> None:
    """Remember a public key. Of two workers that sign for the first time at once, one writes it."""
    with contextlib.suppress(IntegrityError), session.begin_nested():
        session.add(row)


def signing_keys(session: Session) -> list[SigningKeyRow]:
    """Every public key that was ever used, newest first."""
    return list(session.scalars(select(SigningKeyRow).order_by(SigningKeyRow.first_used_at.desc(), SigningKeyRow.id)))


def find_publish(session: Session, package_id: str, version: str) -> JournalEntryRow | None:
    """The entry that says that a release was published, or None."""
    found: JournalEntryRow | None = session.scalar(
        _publish(JournalEntryRow), {"package": package_id, "version": version}
    )
    return found


def position_of_publish(session: Session, package_id: str, version: str) -> int | None:
    """Where that entry stands, without its statement, or None."""
    found: int | None = session.scalar(_publish(JournalEntryRow.position), {"package": package_id, "version": version})
    return found


@cache
def _publish(wanted: Any) -> Select[Any]:
    statement = select(wanted).where(
        JournalEntryRow.package_id == bindparam("package"),
        JournalEntryRow.version == bindparam("version"),
        JournalEntryRow.act == Act.PUBLISH.value,
    )
    return statement.order_by(JournalEntryRow.position).limit(1)


def entries_from(session: Session, start: int, limit: int) -> list[JournalEntryRow]:
    """Entries in order."""
    statement = select(JournalEntryRow).where(JournalEntryRow.position >= start)
    return list(session.scalars(statement.order_by(JournalEntryRow.position).limit(limit)))


def count_publishes(session: Session) -> int:
    """How many releases the journal names."""
    statement = select(func.count()).select_from(JournalEntryRow)
    return session.scalar(statement.where(JournalEntryRow.act == Act.PUBLISH.value)) or 0


def find_followed(session: Session) -> FollowedJournalRow | None:
    """The hub whose journal this one copies; None: it has its own."""
    return session.get(FollowedJournalRow, 1)


def has_entries(session: Session) -> bool:
    """Whether the journal has begun."""
    return session.scalar(select(JournalEntryRow.position).limit(1)) is not None


def entries_of(session: Session, package_id: str, until: int) -> list[JournalEntryRow]:
    """The entries about a package among the first ``until``, in order."""
    statement = select(JournalEntryRow).where(
        JournalEntryRow.package_id == package_id, JournalEntryRow.position < until
    )
    return list(session.scalars(statement.order_by(JournalEntryRow.position)))
