"""Search the catalogue."""

import difflib
from datetime import UTC, datetime
from typing import Any

from hub_server.catalog import queries
from hub_server.catalog.actions.releases import card_of, release_of
from hub_server.catalog.models import PackageRow
from hub_server.catalog.rules import SearchRequest
from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.package import PackageCard, PackageSort, Release
from schemas.page import Page

_KEY_TYPES: dict[PackageSort, type] = {
    PackageSort.RELEVANCE: float,
    PackageSort.ERROR: float,
    PackageSort.UPDATED: str,
    PackageSort.NEWEST: str,
    PackageSort.DOWNLOADS: int,
    PackageSort.NAME: str,
}

MOST_COMPARED = 300


def search_packages(work: UnitOfWork, request: SearchRequest) -> Page[PackageCard]:
    """One page of packages, with the counts of every facet and the total."""
    matches = work.services.search.matches
    found = matches(request.text, is_filtered=request.is_filtered) if request.text.strip() else None
    if request.text.strip() and found is None:
        return Page[PackageCard](items=[], total=0, facets={facet: {} for facet in queries.FACETS})
    rows = queries.search(work.session, request, found, _after(request))
    shown = [package for package, _ in rows[: request.limit]]
    more = None
    if len(rows) > request.limit:
        last, key = rows[request.limit - 1]
        more = encode_cursor(f"search:{request.order}", _plain(key), last.id)
    return Page[PackageCard](
        items=_cards(work, shown),
        next=more,
        facets=queries.count_facets(work.session, request, found),
        total=queries.count_found(work.session, request, found),
    )


def _after(request: SearchRequest) -> list[Any] | None:
    values = decode_cursor(request.cursor, f"search:{request.order}", _KEY_TYPES[request.order], str)
    if values is not None and request.order in ("updated", "newest"):
        try:
            values[0] = _moment_of(values[0])
        except (ValueError, OverflowError):
            raise InvalidRequestError("This cursor is not one of this list: start again without it.") from None
    return values


def _moment_of(text: str) -> datetime:
    """A point in time in UTC. Raises ``ValueError``, ``OverflowError`` for what no database column holds."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("no zone")
    return moment.astimezone(UTC)


def _plain(key: Any) -> Any:
    return key.isoformat() if isinstance(key, datetime) else key


def _cards(work: UnitOfWork, packages: list[PackageRow]) -> list[PackageCard]:
    ids = [package.id for package in packages]
    tags = queries.tags_of(work.session, ids)
    releases = queries.releases_by_ids(work.session, [p.shown_release_id for p in packages if p.shown_release_id])
    return [card_of(package, releases.get(package.shown_release_id or ""), tags[package.id]) for package in packages]


def suggest_packages(work: UnitOfWork, text: str, count: int = 5) -> list[str]:
    """Ids of packages whose name is near ``text``, nearest first: what a search without a hit offers.

    Compared are only names that begin or end like ``text``, and at most ``MOST_COMPARED`` of them, so that the cost
    does not grow with the hub.
    """
    wanted = text.strip().lower()[:140]
    if not wanted:
        return []
    ids = queries.ids_like(work.session, wanted, MOST_COMPARED)
    by_name: dict[str, list[str]] = {}
    for identifier in ids:
        by_name.setdefault(identifier.split("/")[1], []).append(identifier)
    whole = difflib.get_close_matches(wanted, ids, n=count, cutoff=0.6)
    names = difflib.get_close_matches(wanted, list(by_name), n=count, cutoff=0.6)
    return list(dict.fromkeys([*whole, *(identifier for name in names for identifier in by_name[name])]))[:count]


def list_package_ids(work: UnitOfWork) -> list[str]:
    """Ids of all listed packages, for ``/simple``."""
    return queries.list_package_ids(work.session)


def list_newest_releases(
    work: UnitOfWork, *, package_id: str | None = None, owner: str | None = None, limit: int = 40
) -> list[Release]:
    """What was published last: everywhere, of one package, or of one owner."""
    return [release_of(row) for row in queries.newest_releases(work.session, package_id, owner, limit)]


def count_everything(work: UnitOfWork) -> dict[str, int]:
    """Packages and releases on this hub."""
    return queries.count_everything(work.session)
