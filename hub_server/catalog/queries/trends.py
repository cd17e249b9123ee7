"""Statements about how many senders download what, and what trends."""

from collections.abc import Mapping

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hub_server.catalog.models import DownloadDayRow, DownloadSenderRow, PackageRow


def count_sender(session: Session, package_id: str, sender: int, day: str, window_start: str) -> None:
    """Note that ``sender`` downloaded a package, unless it did since ``window_start``. After ``count_download``."""
    session.flush()
    known = session.get(DownloadSenderRow, (package_id, sender), populate_existing=True)
    if known is not None and known.day >= window_start:
        return
    if known is None:
        session.add(DownloadSenderRow(package_id=package_id, sender=sender, day=day))
    else:
        known.day = day
    today = session.get(DownloadDayRow, (package_id, day))
    assert today is not None, "the download was counted"
    today.senders += 1


def senders_by_package(session: Session, since: str, recent: str, limit: int) -> list[tuple[str, int, int]]:
    """(public package, senders from the day ``recent`` on, senders from ``since`` until then), the most first."""
    later = func.coalesce(func.sum(DownloadDayRow.senders).filter(DownloadDayRow.day >= recent), 0)
    earlier = func.coalesce(func.sum(DownloadDayRow.senders).filter(DownloadDayRow.day < recent), 0)
    counted = select(DownloadDayRow.package_id, later, earlier).join(PackageRow)
    counted = counted.where(DownloadDayRow.day >= since, DownloadDayRow.senders > 0, PackageRow.is_private.is_(False))
    found = session.execute(counted.group_by(DownloadDayRow.package_id).order_by(later.desc()).limit(limit))
    return [(package_id, int(after), int(before)) for package_id, after, before in found]


def trends(session: Session) -> dict[str, float]:
    """The trend of every package that has one."""
    return dict(session.execute(select(PackageRow.id, PackageRow.trend).where(PackageRow.trend > 0)).all())


def set_trends(session: Session, trends: Mapping[str, float]) -> None:
    """Set what packages are sorted by."""
    rows = [{"id": package_id, "trend": trend} for package_id, trend in sorted(trends.items())]
    if rows:
        session.execute(update(PackageRow), rows)


def trending(session: Session, limit: int) -> list[str]:
    """Ids of the listed packages that trend, the clearest first."""
    wanted = select(PackageRow.id).where(PackageRow.trend > 0, PackageRow.is_listed.is_(True))
    return list(session.scalars(wanted.order_by(PackageRow.trend.desc(), PackageRow.id).limit(limit)))


def forget_senders(session: Session, window_start: str) -> None:
    """Delete who downloaded before ``window_start``."""
    session.execute(delete(DownloadSenderRow).where(DownloadSenderRow.day < window_start))
