"""Statements of the catalogue's search: which packages it finds, and in which order."""

from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, literal_column, or_, select
from sqlalchemy.orm import Session

from hub_server.catalog.models import (
    PackageFacetRow,
    PackageRow,
)
from hub_server.catalog.queries.cards import CARD, CardPackage
from hub_server.catalog.rules.facets import SEVERAL_VALUED
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.database.many_values import one_of
from hub_server.ports.search_index import ALL_OF

_MOST_WORDS = 16  # chosen, not measured: each is three conditions more, which no index serves

_INDEXED = {"error": ("kind", "grade"), "trending": ("kind",), "downloads": ("kind",)}
"""Order -> the facets that have an index of their own in that order (``PackageRow``), the better one first."""


def search(
    session: Session, request: SearchRequest, among: Iterable[str] | None, after: list[Any] | None
) -> list[tuple[CardPackage, Any]]:
    """One page and one row more in the order of a column, with the value that each row is sorted by.

    ``among``: the packages to choose from. None: all that the request's filters leave.
    """
    key, descending = _order(request)
    conditions, parameters = _in_order(session, request), dict[str, Any]()
    if among is not None:
        condition, parameters = one_of(session, PackageRow.id, among)
        conditions = [condition]
    statement = select(*CARD, key).where(PackageRow.is_listed.is_(True), *conditions)
    if after is not None:
        last_key, last_id = after
        beyond, at_most = (key < last_key, key <= last_key) if descending else (key > last_key, key >= last_key)
        # The second says nothing more, but an index begins there: with the first alone, all pages before are read.
        statement = statement.where(or_(beyond, and_(key == last_key, PackageRow.id > last_id)), at_most)
    ordered = statement.order_by(key.desc() if descending else key.asc(), PackageRow.id.asc())
    return [(CardPackage(*row[:-1]), row[-1]) for row in session.execute(ordered.limit(request.limit + 1), parameters)]


def private_among(session: Session, request: SearchRequest, owners: Collection[str], limit: int) -> list[str]:
    """Ids of the private packages that are seen, pass the filters, and have every word in name, summary or tag.

    ``owners``: whose the viewer sees, so that no other package is looked at.
    """
    statement = select(PackageRow.id).where(PackageRow.owner.in_(sorted(owners)))
    statement = statement.where(PackageRow.is_private, PackageRow.is_listed, *_chosen(request))
    for word in request.text.replace("\x00", " ").split()[:_MOST_WORDS]:  # PostgreSQL takes no NUL
        # Asked of each package: as a list of ids, all tags of the hub were read.
        tagged = select(1).where(PackageFacetRow.package_id == PackageRow.id)
        tagged = tagged.where(PackageFacetRow.value.icontains(word, autoescape=True))
        columns = (column.icontains(word, autoescape=True) for column in (PackageRow.id, PackageRow.summary))
        statement = statement.where(or_(*columns, tagged.exists()))
    return list(session.scalars(statement.order_by(PackageRow.id).limit(limit)))


def private_ids(session: Session) -> set[str]:
    """Ids of the private packages that are seen."""
    return set(session.scalars(select_private()))


def select_private() -> Select[str]:
    """The ids of private packages, by their index: SQLite's is not used where the column is compared with 1."""
    return select(PackageRow.id).where(literal_column("packages.is_private"))


def _order(request: SearchRequest) -> tuple[Any, bool]:
    """The column to sort by, and whether the largest comes first."""
    columns: dict[str, tuple[Any, bool]] = {
        "updated": (PackageRow.updated_at, True),
        "newest": (PackageRow.created_at, True),
        "downloads": (PackageRow.downloads, True),
        "trending": (PackageRow.trend, True),
        "error": (PackageRow.error_bound, False),
        "name": (PackageRow.id, False),
    }
    return columns[request.order]


def _in_order(session: Session, request: SearchRequest) -> list[ColumnElement[bool]]:
    """The request's filters, such that SQLite reads a list from its start and sorts nothing.

    It would take an index on a filter and sort a third of all packages: 60 ms of 50,000. PostgreSQL knows better.
    """
    if session.get_bind().dialect.name != "sqlite":
        return _chosen(request)
    single = (facet for facet in _INDEXED.get(request.order, ()) if len(request.chosen.get(facet, ())) == 1)
    return _chosen(request, indexed=next(single, ""))


def _chosen(request: SearchRequest, indexed: str | None = None) -> list[ColumnElement[bool]]:
    """``indexed``: the only column whose index may be used; None: any."""
    conditions: list[ColumnElement[bool]] = []
    for facet, values in request.chosen.items():
        if not values:
            continue
        if facet in SEVERAL_VALUED:
            for group in [[value] for value in values] if facet in ALL_OF else [values]:
                having = select(PackageFacetRow.package_id).where(
                    PackageFacetRow.facet == facet, PackageFacetRow.value.in_(group)
                )
                conditions.append(PackageRow.id.in_(having))
        else:
            column = getattr(PackageRow, facet)
            conditions.append((column if indexed in (None, facet) else column.concat("")).in_(values))
    return conditions


def withheld_among(session: Session, package_ids: Collection[str]) -> set[str]:
    """Those of the packages that are hidden or were taken down."""
    if not package_ids:
        return set()
    stopped = or_(PackageRow.hidden_reason.is_not(None), PackageRow.taken_down_reason.is_not(None))
    return set(session.scalars(select(PackageRow.id).where(PackageRow.id.in_(package_ids), stopped)))
