"""SQL statements about what an account has uploaded, and which stored bytes releases need."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, defer

from hub_server.catalog.models import ReleaseRow
from hub_server.database.journal import JournalEntryRow
from hub_server.publishing.models import UploadDayRow
from schemas.journal.entries import Act

_BLOBS_LOCK = 7236452192


def hold_blobs(session: Session) -> None:
    """Keep bytes from being collected until this transaction ends. Publishes do not wait for one another here.

    On SQLite a transaction that writes excludes every other one already.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock_shared(:key)"), {"key": _BLOBS_LOCK})


def exclude_publishes(session: Session) -> None:
    """Wait for publishes that are between their last check of the store and their commit, and hold up others until this
    transaction ends.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _BLOBS_LOCK})


def is_needed(session: Session, digest: str) -> bool:
    """Whether a release that was not taken down has these bytes."""
    statement = select(ReleaseRow.id).where(ReleaseRow.digest == digest, ReleaseRow.taken_down_reason.is_(None))
    return session.scalar(statement.limit(1)) is not None


def needed_bytes(session: Session) -> Iterator[tuple[str, int, str]]:
    """(digest, bytes, ``owner/name version``) of every release that was not taken down."""
    statement = select(ReleaseRow.digest, ReleaseRow.size_bytes, ReleaseRow.package_id, ReleaseRow.version)
    statement = statement.where(ReleaseRow.taken_down_reason.is_(None)).execution_options(yield_per=5000)
    for digest, size_bytes, package_id, version in session.execute(statement):
        yield digest, size_bytes, f"{package_id} {version}"


def releases_without_entry(session: Session, limit: int) -> list[ReleaseRow]:
    """Releases of which the journal does not say that they were published, oldest first."""
    is_entered = select(JournalEntryRow.position).where(
        JournalEntryRow.package_id == ReleaseRow.package_id,
        JournalEntryRow.version == ReleaseRow.version,
        JournalEntryRow.act == Act.PUBLISH.value,
    )
    statement = select(ReleaseRow).options(defer(ReleaseRow.readme)).where(~is_entered.exists())
    return list(session.scalars(statement.order_by(ReleaseRow.id).limit(limit)))


def count_releases_by(session: Session, account: str, since: datetime) -> int:
    """Releases that an account has published since then."""
    statement = select(func.count()).select_from(ReleaseRow)
    return session.scalar(statement.where(ReleaseRow.published_by == account, ReleaseRow.published_at >= since)) or 0


def uploads_of(session: Session, account_id: str, day: str) -> tuple[int, int]:
    """(attempts, bytes) that an account has uploaded on ``day``."""
    row = session.get(UploadDayRow, (account_id, day))
    return (row.attempts, row.size_bytes) if row is not None else (0, 0)


def count_upload(session: Session, account_id: str, day: str, attempts: int, size_bytes: int) -> None:
    """Add to what an account has uploaded on ``day``; counted by the database, so two at once both count."""
    today = (UploadDayRow.account_id == account_id, UploadDayRow.day == day)
    counted = update(UploadDayRow).where(*today)
    added = {
        "attempts": UploadDayRow.attempts + attempts,
        "size_bytes": UploadDayRow.size_bytes + size_bytes,
    }
    if session.scalar(counted.values(added).returning(UploadDayRow.day)) is not None:
        return
    try:
        with session.begin_nested():
            session.add(UploadDayRow(account_id=account_id, day=day, attempts=attempts, size_bytes=size_bytes))
    except IntegrityError:  # the day's first upload came twice at once
        session.execute(counted.values(added))


def forget_uploads_before(session: Session, day: str) -> None:
    """Delete the counts of days before ``day``."""
    session.execute(delete(UploadDayRow).where(UploadDayRow.day < day))
