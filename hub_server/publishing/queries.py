"""SQL statements about what an account has uploaded. Packages and releases are the catalogue's."""

from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.catalog.models import ReleaseRow
from hub_server.publishing.models import UploadDayRow


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
