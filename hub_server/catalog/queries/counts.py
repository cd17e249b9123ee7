"""Statements that count: downloads, replays, releases, and all that a hub has."""

from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam, func, select, update
from sqlalchemy.orm import Session

from hub_server.catalog.models import (
    DownloadDayRow,
    PackageRow,
    ReleaseRow,
)
from hub_server.catalog.queries.search import select_private
from hub_server.database.visibility import EVERYTHING, seeing


def count_download(session: Session, release_id: str, package_id: str, day: str) -> None:
    """One more download, on ``day`` (``2026-11-21``)."""
    session.execute(update(ReleaseRow).where(ReleaseRow.id == release_id).values(downloads=ReleaseRow.downloads + 1))
    session.execute(update(PackageRow).where(PackageRow.id == package_id).values(downloads=PackageRow.downloads + 1))
    # The package's row is locked by now, so nobody else adds the day between the two statements.
    today = session.get(DownloadDayRow, (package_id, day), populate_existing=True)
    if today is None:
        session.add(DownloadDayRow(package_id=package_id, day=day, downloads=1))
    else:
        today.downloads += 1


def downloads_since(session: Session, package_id: str, day: str) -> dict[str, int]:
    """Downloads by day from ``day`` on."""
    return dict(session.execute(_downloads(), {"package": package_id, "day": day}).all())


@cache
def _downloads() -> "Select[str, int]":
    return select(DownloadDayRow.day, DownloadDayRow.downloads).where(
        DownloadDayRow.package_id == bindparam("package"), DownloadDayRow.day >= bindparam("day")
    )


def count_replays(session: Session, digest: str, compared: int, mismatches: int) -> None:
    """Add to the counts of calls that were run again one isolation level higher, and of those judged differently."""
    session.execute(
        update(ReleaseRow)
        .where(ReleaseRow.digest == digest)
        .values(
            replayed_count=ReleaseRow.replayed_count + compared,
            replay_mismatch_count=ReleaseRow.replay_mismatch_count + mismatches,
        )
    )


class RowCount(NamedTuple):
    """How many packages and releases there are."""

    public: dict[str, int]
    """Those that everybody sees."""
    looked_at: int
    """All rows that were looked at for it, private ones too: what the count costs."""


def count_rows(session: Session) -> RowCount:
    """Packages and releases that everybody sees, for the metrics."""
    private = select_private()
    with seeing(session, EVERYTHING):  # both counted apart: a look at each release's package costs 1 s for 500,000
        packages, releases = _count(session, select(PackageRow.id)), _count(session, select(ReleaseRow.id))
        hidden = _count(session, private)
        of_hidden = _count(session, select(ReleaseRow.id).where(ReleaseRow.package_id.in_(private)))
    return RowCount({"packages": packages - hidden, "releases": releases - of_hidden}, packages + releases)


def _count(session: Session, statement: Select[Any]) -> int:
    return session.scalar(select(func.count()).select_from(statement.subquery())) or 0


def count_releases(session: Session, package_id: str) -> int:
    """How many releases a package has."""
    return session.scalar(_releases(), {"package": package_id}) or 0


@cache
def _releases() -> Select[int]:
    return select(func.count()).select_from(ReleaseRow).where(ReleaseRow.package_id == bindparam("package"))
