"""Search the catalogue."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hub_server.catalog.actions.nearest import nearest_packages
from hub_server.catalog.actions.releases import card_of, get_package_row, release_of
from hub_server.catalog.actions.search_updates import catch_up, document_of
from hub_server.catalog.queries import cards as card_queries
from hub_server.catalog.queries import counts as count_queries
from hub_server.catalog.queries import packages as package_queries
from hub_server.catalog.queries import search as search_queries
from hub_server.catalog.queries.cards import CardPackage
from hub_server.catalog.queries.counts import RowCount
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.catalog.rules.versions import version_key
from hub_server.database.visibility import viewer_of
from hub_server.errors import InvalidRequestError
from hub_server.kernel.cursors import decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.search_index import Found, Hits
from schemas.evidence.rates import Grade
from schemas.package import AuditSummary, PackageCard, PackagePage, PackageSort, Release

_KEY_TYPES: dict[PackageSort, type] = {
    PackageSort.RELEVANCE: float,
    PackageSort.ERROR: float,
    PackageSort.UPDATED: str,
    PackageSort.NEWEST: str,
    PackageSort.DOWNLOADS: int,
    PackageSort.TRENDING: float,
    PackageSort.NAME: str,
}

MOST_SIMILAR = 5
MOST_HITS = 1000
"""Packages with the words of a search that are sorted and paged through: the best."""


def search_packages(work: UnitOfWork, request: SearchRequest) -> PackagePage:
    """One page of packages, with the counts of every facet and the total.

    Words are looked up in the search index, and so is what there is to count. Where there are words, the packages that
    fit them best are sorted as asked, at most ``MOST_HITS``.
    """
    catch_up(work)
    has_words = bool(request.text.strip())
    is_chosen = any(request.chosen.values())
    found = work.services.search.find(request.text, request.chosen, MOST_HITS if has_words or is_chosen else 0)
    found = _with_private(work, request, found)
    if request.order is PackageSort.RELEVANCE:
        rows = _by_relevance(work, request, found.hits)
    else:
        # Few packages are sorted by themselves; many lie so dense in the whole list that a page is read from its start.
        among = found.hits if has_words or (is_chosen and found.total <= MOST_HITS) else None
        rows = search_queries.search(work.session, request, among, _after(request))
    shown = [package for package, _ in rows[: request.limit]]
    more = None
    if len(rows) > request.limit:
        last, key = rows[request.limit - 1]
        more = encode_cursor(f"search:{request.order}", _plain(key), last.id)
    facets = {facet: dict(counts) for facet, counts in found.facets.items()}
    return PackagePage(
        items=_cards(work, shown),
        next=more,
        facets=facets,
        total=found.total,
        has_every_word=found.has_every_word,
    )


def count_public(work: UnitOfWork, text: str, chosen: Mapping[str, tuple[str, ...]]) -> int:
    """How many packages that everybody sees match words and facets."""
    return work.services.search.find(text, chosen, 1).total


def _with_private(work: UnitOfWork, request: SearchRequest, found: Found) -> Found:
    """With the private packages that the caller sees, which no index holds: first, and not counted in facets."""
    owners = viewer_of(work.session).owners
    if not owners:
        return found
    private = search_queries.private_among(work.session, request, owners, MOST_HITS)
    if not private:
        return found
    best = max(found.hits.values(), default=0.0) + 1
    hits = Hits.of({**found.hits, **dict.fromkeys(private, best)})
    return replace(found, hits=hits, total=found.total + len(private), has_every_word=True)


def _by_relevance(work: UnitOfWork, request: SearchRequest, hits: Hits) -> list[tuple[CardPackage, float]]:
    """One page and one row more, the best first."""
    after = _after(request)
    chosen = hits.page(request.limit + 1, (after[0], after[1]) if after is not None else None)
    packages = card_queries.packages_for_cards(work.session, [package_id for _, package_id in chosen])
    found = ((packages.get(package_id), key) for key, package_id in chosen)
    return [(package, key) for package, key in found if package is not None and package.is_listed]


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


def _cards(work: UnitOfWork, packages: list[CardPackage]) -> list[PackageCard]:
    ids = [package.id for package in packages]
    tags = card_queries.tags_of(work.session, ids)
    shown = [package.shown_release_id for package in packages if package.shown_release_id]
    releases = card_queries.releases_for_cards(work.session, shown)
    return [card_of(package, releases.get(package.shown_release_id or ""), tags[package.id]) for package in packages]


def list_cards(work: UnitOfWork, package_ids: list[str]) -> dict[str, PackageCard]:
    """The cards of these packages, by id. Those that stand in no list (quarantined, withheld) have none."""
    rows = card_queries.packages_for_cards(work.session, package_ids)
    return {card.id: card for card in _cards(work, [row for row in rows.values() if row.is_listed])}


def list_pinned_audits(work: UnitOfWork, pins: Collection[tuple[str, str]]) -> dict[tuple[str, str], AuditSummary]:
    """What was measured of releases, by (package, version); of the others nothing was."""
    keys = [(package_id, version_key(version)) for package_id, version in pins]
    rows = package_queries.releases_by_pins(work.session, keys)
    return {(row.package_id, row.version): AuditSummary.read(row.audit_summary) for row in rows if row.audit_summary}


def suggest_packages(work: UnitOfWork, text: str, count: int = 5) -> list[str]:
    """Ids of packages whose name is near ``text``, nearest first: what a search without a hit offers."""
    if not text.strip():
        return []
    catch_up(work)
    return nearest_packages(work.services.search, text, count)


def list_similar(work: UnitOfWork, package_id: str) -> list[PackageCard]:
    """Public packages of the same kind that ask something alike of a model: by families, tags and words.

    As of the last search: a package's page does not wait for the index.

    Raises ``PackageNotFoundError``, ``WithheldError``.
    """
    return _cards(work, _similar_rows(work, package_id))


def list_similar_grades(work: UnitOfWork, package_id: str) -> list[tuple[str, Grade | None]]:
    """Ids of the packages of :func:`list_similar`, each with its grade; None where nothing was measured."""
    return [(row.id, Grade(row.grade) if row.audit_summary else None) for row in _similar_rows(work, package_id)]


def _similar_rows(work: UnitOfWork, package_id: str) -> list[CardPackage]:
    package = get_package_row(work, package_id)
    document = document_of(package, package_queries.facets_of_one(work.session, package.id), "")
    alike = work.services.search.alike(document, MOST_SIMILAR)
    rows = card_queries.packages_for_cards(work.session, alike)
    return [rows[one] for one in alike if one in rows and rows[one].is_listed]


def list_package_ids(work: UnitOfWork) -> list[str]:
    """Ids of all listed packages, for ``/simple``."""
    return package_queries.list_package_ids(work.session)


def list_newest_releases(
    work: UnitOfWork, *, package_id: str | None = None, owner: str | None = None, limit: int = 40
) -> list[Release]:
    """What was published last: everywhere, of one package, or of one owner."""
    return [release_of(row) for row in package_queries.newest_releases(work.session, package_id, owner, limit)]


def count_everything(work: UnitOfWork) -> dict[str, int]:
    """Packages and releases on this hub that everybody sees."""
    return count_rows(work).public


def count_rows(work: UnitOfWork) -> RowCount:
    """The same, and how many rows were looked at for it."""
    return count_queries.count_rows(work.session)
