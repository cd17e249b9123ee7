"""Every SQL statement about the packages that a mirror keeps up to date."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from hub_server.catalog.models import PackageRow, ReleaseNeedRow, ReleaseRow
from hub_server.mirror.models import MirroredPackageRow

_MOST_IN_ONE_STATEMENT = 500  # older SQLite takes 999 values


def mark(session: Session, package_ids: Collection[str], now: datetime, *, adds: bool) -> None:
    """Have packages looked at. ``adds``: also those that were not known yet."""
    every = sorted(set(package_ids))
    for start in range(0, len(every), _MOST_IN_ONE_STATEMENT):
        part = every[start : start + _MOST_IN_ONE_STATEMENT]
        named = MirroredPackageRow.package_id.in_(part)
        found = set(session.scalars(select(MirroredPackageRow.package_id).where(named)))
        session.execute(
            update(MirroredPackageRow).where(named).values(wanted=MirroredPackageRow.wanted + 1, look_at=now)
        )
        if adds:
            fresh = [one for one in part if one not in found]
            session.add_all(MirroredPackageRow(package_id=one, wanted=1, look_at=now) for one in fresh)
            session.flush()


def mark_all(session: Session, now: datetime) -> None:
    """Have every package looked at."""
    session.execute(update(MirroredPackageRow).values(wanted=MirroredPackageRow.wanted + 1, look_at=now))


def next_due(session: Session, now: datetime) -> MirroredPackageRow | None:
    """The package that has waited longest, or None when none is due."""
    due = select(MirroredPackageRow).where(MirroredPackageRow.look_at <= now)
    return session.scalar(due.order_by(MirroredPackageRow.look_at, MirroredPackageRow.package_id).limit(1))


def find(session: Session, package_id: str) -> MirroredPackageRow | None:
    """What is known of how a package is mirrored."""
    return session.get(MirroredPackageRow, package_id)


def count_waiting(session: Session) -> int:
    """Packages with news that were not brought up to date yet."""
    waiting = select(func.count()).select_from(MirroredPackageRow)
    return session.scalar(waiting.where(MirroredPackageRow.wanted > MirroredPackageRow.seen)) or 0


def problems(session: Session, limit: int) -> list[MirroredPackageRow]:
    """Packages of which something is missing."""
    found = select(MirroredPackageRow).where(MirroredPackageRow.problem != "")
    return list(session.scalars(found.order_by(MirroredPackageRow.package_id).limit(limit)))


def count_problems(session: Session) -> int:
    """How many packages lack something."""
    found = select(func.count()).select_from(MirroredPackageRow).where(MirroredPackageRow.problem != "")
    return session.scalar(found) or 0


def add_later_needs(session: Session, release_id: str, package_ids: Collection[str]) -> None:
    """Note which packages a release refers to that the journal names, and that have not come yet."""
    here = select(PackageRow.id).where(PackageRow.id == MirroredPackageRow.package_id)
    wanted = select(MirroredPackageRow.package_id).where(
        MirroredPackageRow.package_id.in_(sorted(package_ids)), ~here.exists()
    )
    session.add_all(
        ReleaseNeedRow(release_id=release_id, package_id=package_id) for package_id in session.scalars(wanted)
    )
    session.flush()


def wheels_bytes(session: Session) -> int:
    """The bytes of all wheels that are kept."""
    kept = select(func.sum(ReleaseRow.size_bytes)).where(ReleaseRow.taken_down_reason.is_(None))
    return session.scalar(kept) or 0
