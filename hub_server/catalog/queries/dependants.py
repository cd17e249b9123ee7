"""Statements about what needs a package: by what each package's shown release refers to."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from hub_server.catalog.models import PackageRow, ReleaseNeedRow

_OF_SHOWN = ReleaseNeedRow.release_id == PackageRow.shown_release_id


def page_of_dependants(
    session: Session, package_id: str, kinds: Collection[str], after: str | None, limit: int
) -> list[PackageRow]:
    """Listed packages of these kinds behind the id ``after``, in order of their ids."""
    statement = select(PackageRow).join(ReleaseNeedRow, _OF_SHOWN).where(*_needs(package_id))
    statement = statement.where(PackageRow.kind.in_(sorted(kinds)))
    if after is not None:
        statement = statement.where(PackageRow.id > after)
    return list(session.scalars(statement.order_by(PackageRow.id).limit(limit)))


def count_dependants(session: Session, package_id: str) -> dict[str, int]:
    """Kind -> how many listed packages of it need the package, in one statement."""
    statement = select(PackageRow.kind, func.count()).join(ReleaseNeedRow, _OF_SHOWN).where(*_needs(package_id))
    return {row[0]: row[1] for row in session.execute(statement.group_by(PackageRow.kind))}


def _needs(package_id: str) -> list[ColumnElement[bool]]:
    """That the release refers to the package, and its own package is listed and not hidden."""
    return [
        ReleaseNeedRow.package_id == package_id,
        PackageRow.id != package_id,
        PackageRow.is_listed.is_(True),
        PackageRow.hidden_reason.is_(None),
        PackageRow.taken_down_reason.is_(None),
    ]
