"""Every SQL statement about comparisons of two releases."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from hub_server.audits.models import (
    ComparisonRow,
    NeighbourRow,
)
from hub_server.catalog.models import PackageRow, ReleaseRow


def comparable_releases(session: Session, release_id: str, limit: int) -> list[ReleaseRow]:
    """Other packages' releases that judged the same cases, those that agree most first; duplicates count once."""
    statement = (
        select(ReleaseRow)
        .join(NeighbourRow, NeighbourRow.other_release_id == ReleaseRow.id)
        .where(NeighbourRow.release_id == release_id, NeighbourRow.judged > 0, NeighbourRow.behaves_alike.is_(False))
    )
    share = NeighbourRow.agreed * 1.0 / NeighbourRow.judged
    return list(session.scalars(statement.order_by(share.desc(), ReleaseRow.id).limit(limit)))


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
    listed = select(ReleaseRow.id).join(PackageRow, PackageRow.id == ReleaseRow.package_id)
    listed = listed.where(PackageRow.is_listed)
    statement = select(ComparisonRow).where(
        ComparisonRow.state == "done",
        ComparisonRow.left_release_id.in_(listed),
        ComparisonRow.right_release_id.in_(listed),
    )
    return list(session.scalars(statement.order_by(ComparisonRow.id.desc()).limit(limit)))
