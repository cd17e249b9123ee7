"""Every SQL statement about comparisons of two releases."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from hub_server.audits.models import (
    ComparisonRow,
    NeighbourRow,
)
from hub_server.catalog.models import PackageRow, ReleaseRow


def comparable_releases(
    session: Session, release_id: str, limit: int, *, without: Collection[str] = (), first: Collection[str] = ()
) -> list[ReleaseRow]:
    """Other packages' releases that judged the same cases, those that agree most first; duplicates count once.

    ``without``: owners whose packages are left out. ``first``: owners whose packages come before all others.
    """
    statement = (
        select(ReleaseRow)
        .join(NeighbourRow, NeighbourRow.other_release_id == ReleaseRow.id)
        .where(NeighbourRow.release_id == release_id, NeighbourRow.judged > 0, NeighbourRow.behaves_alike.is_(False))
    )
    statement = statement.join(PackageRow, PackageRow.id == ReleaseRow.package_id)
    statement = statement.where(PackageRow.owner.not_in(without))
    share = NeighbourRow.agreed * 1.0 / NeighbourRow.judged
    order = (PackageRow.owner.in_(first).desc(), share.desc(), ReleaseRow.id)
    return list(session.scalars(statement.order_by(*order).limit(limit)))


def find_comparison(session: Session, left_id: str, right_id: str) -> ComparisonRow | None:
    """The newest comparison of two releases, this way round, or None."""
    statement = select(ComparisonRow).where(
        ComparisonRow.left_release_id == left_id, ComparisonRow.right_release_id == right_id
    )
    return session.scalars(statement.order_by(ComparisonRow.id.desc()).limit(1)).one_or_none()


def get_comparison(session: Session, comparison_id: str) -> ComparisonRow | None:
    """The comparison, or None."""
    return session.get(ComparisonRow, comparison_id)


def newest_comparisons(session: Session, limit: int) -> list[ComparisonRow]:
    """Finished comparisons of listed packages, newest first."""
    statement = select(ComparisonRow).where(ComparisonRow.state == "done")
    for side in (ComparisonRow.left_release_id, ComparisonRow.right_release_id):
        # Asked for each comparison: as a list of all listed releases it took SQLite 4 s on a hub with 500,000.
        listed = select(1).join_from(ReleaseRow, PackageRow, PackageRow.id == ReleaseRow.package_id)
        statement = statement.where(listed.where(ReleaseRow.id == side, PackageRow.is_listed).exists())
    return list(session.scalars(statement.order_by(ComparisonRow.id.desc()).limit(limit)))
