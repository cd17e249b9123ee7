"""SQL statements about what an account has uploaded, and which stored bytes releases need."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, case, delete, func, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.catalog.models import ReleaseRow
from hub_server.database.journal import JournalEntryRow
from hub_server.publishing.models import UploadDayRow, UploadPartRow
from schemas.journal.entries import Act

_BLOBS_LOCK = 7236452192  # any number, but another than in database/package_changes.py
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_UPLOADS = 500
"""So many are looked up at a time."""


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
    """Whether a release that was not taken down, or an unfinished upload, has these bytes."""
    release = select(ReleaseRow.id).where(ReleaseRow.digest == digest, ReleaseRow.taken_down_reason.is_(None))
    part = select(UploadPartRow.number).where(UploadPartRow.part == digest)
    return any(session.scalar(statement.limit(1)) is not None for statement in (release, part))


def needed_bytes(session: Session) -> Iterator[tuple[str, int, str]]:
    """(digest, bytes, ``owner/name version``) of every release that was not taken down."""
    statement = select(ReleaseRow.digest, ReleaseRow.size_bytes, ReleaseRow.package_id, ReleaseRow.version)
    statement = statement.where(ReleaseRow.taken_down_reason.is_(None)).execution_options(yield_per=5000)
    for digest, size_bytes, package_id, version in session.execute(statement):
        yield digest, size_bytes, f"{package_id} {version}"


@dataclass(frozen=True)
class Unentered:
    """What the journal has to say of a release, and its ``id``: the manifest and the rest are not read for it."""

    id: str
    package_id: str
    version: str
    digest: str
    published_at: datetime
    public_since: datetime | None
    state: str
    taken_down_reason: str | None


def releases_without_entry(session: Session, after: str, limit: int) -> list[Unentered]:
    """Releases of which the journal does not say that they were published, oldest first, from ``after`` on."""
    is_entered = select(JournalEntryRow.position).where(
        JournalEntryRow.package_id == ReleaseRow.package_id,
        JournalEntryRow.version == ReleaseRow.version,
        JournalEntryRow.act == Act.PUBLISH.value,
    )
    columns = [getattr(ReleaseRow, field.name) for field in fields(Unentered)]
    statement = select(*columns).where(ReleaseRow.id > after, ~is_entered.exists())
    return [Unentered(*row) for row in session.execute(statement.order_by(ReleaseRow.id).limit(limit))]


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


def put_part(session: Session, row: UploadPartRow) -> str | None:
    """Write that a part has arrived, in place of an earlier one with its number; returns the digest of that one."""
    key = {"account_id": row.account_id, "digest": row.digest, "number": row.number}
    values = {"part": row.part, "size_bytes": row.size_bytes, "arrived_at": row.arrived_at}
    same = select(UploadPartRow.part).filter_by(**key).with_for_update()
    before = session.scalar(same)
    if before is None:
        try:
            with session.begin_nested():
                session.add(UploadPartRow(**key, **values))
        except IntegrityError:  # the part came twice at once
            before = session.scalar(same)
        else:
            return None
    session.execute(update(UploadPartRow).filter_by(**key).values(values))
    return before


def parts_of(session: Session, account_id: str, digest: str) -> list[UploadPartRow]:
    """The parts of one upload that wait, in order."""
    statement = select(UploadPartRow).where(*_waits(account_id), UploadPartRow.digest == digest)
    return list(session.scalars(statement.order_by(UploadPartRow.number)))


def bytes_of_parts(session: Session, account_id: str, digest: str) -> int:
    """Bytes of the parts that wait of one upload."""
    statement = select(func.sum(UploadPartRow.size_bytes)).where(*_waits(account_id))
    return int(session.scalar(statement.where(UploadPartRow.digest == digest)) or 0)


def room_of_parts(session: Session, account_id: str, least: int) -> int:
    """Bytes of all parts of an account that wait; each counts as ``least`` at least."""
    size = UploadPartRow.size_bytes
    counted = func.sum(case((size < least, least), else_=size))
    return int(session.scalar(select(counted).where(*_waits(account_id))) or 0)


def _waits(account_id: str) -> tuple[ColumnElement[bool], ...]:
    return UploadPartRow.account_id == account_id, UploadPartRow.arrived_at > _LONG_AGO


def expire_parts(session: Session, account_id: str, digest: str) -> None:
    """Nobody waits for these parts any more. Their rows stay until the bytes are deleted."""
    expired = update(UploadPartRow).where(UploadPartRow.account_id == account_id, UploadPartRow.digest == digest)
    session.execute(expired.values(arrived_at=_LONG_AGO))


def old_uploads(session: Session, before: datetime) -> list[tuple[str, str]]:
    """(account, digest) of some uploads of which no part came since ``before``."""
    whole = (UploadPartRow.account_id, UploadPartRow.digest)
    old = select(*whole).group_by(*whole).having(func.max(UploadPartRow.arrived_at) < before).limit(_MOST_UPLOADS)
    return [(account_id, digest) for account_id, digest in session.execute(old)]


def take_old_parts(session: Session, account_id: str, digest: str, before: datetime) -> set[str]:
    """Delete the rows of an upload, unless a part came since ``before``; returns the digests of the parts' bytes."""
    upload = (UploadPartRow.account_id == account_id, UploadPartRow.digest == digest)
    newest = session.scalar(select(func.max(UploadPartRow.arrived_at)).where(*upload))
    if newest is None or newest >= before:
        return set()
    return set(session.scalars(delete(UploadPartRow).where(*upload).returning(UploadPartRow.part)))


def all_parts(session: Session) -> set[str]:
    """The digests of the bytes of every part."""
    return set(session.scalars(select(UploadPartRow.part).distinct()))
