"""Which packages need a package, as their shown releases say."""

from hub_server.catalog.actions.releases import get_package_row
from hub_server.catalog.queries import packages as queries
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.kinds import PackageKind
from schemas.package import Dependant
from schemas.page import Page

PAGE = 20


def list_dependants(
    work: UnitOfWork,
    package_id: str,
    kinds: frozenset[PackageKind] = frozenset(PackageKind),
    *,
    cursor: str | None = None,
    limit: int | None = None,
) -> Page[Dependant]:
    """Packages of these kinds that depend on a package or name it, by id; those that the caller sees."""
    package = get_package_row(work, package_id)
    limit = check_limit(PAGE if limit is None else limit)
    after = decode_cursor(cursor, "dependants", str)
    wanted = [kind.value for kind in kinds]
    rows = queries.page_of_dependants(work.session, package.id, wanted, after[0] if after else None, limit + 1)
    items = [
        Dependant(id=row.id, kind=PackageKind(row.kind), summary=row.summary, latest=row.latest_version)
        for row in rows[:limit]
    ]
    return Page[Dependant](
        items=items, next=encode_cursor("dependants", rows[limit - 1].id) if len(rows) > limit else None
    )


def count_dependants(work: UnitOfWork, package_id: str) -> dict[PackageKind, int]:
    """Kind -> how many packages of it need the package."""
    return {PackageKind(kind): count for kind, count in queries.count_dependants(work.session, package_id).items()}
