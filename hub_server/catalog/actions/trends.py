"""Packages that more senders download than before. A sender counts once, however often it downloads."""

from datetime import UTC, timedelta

from hub_server.catalog.actions.search import list_cards
from hub_server.catalog.queries import trends as queries
from hub_server.catalog.rules.trends import MOST_TRENDING, TREND_DAYS, trend_of
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.package import PackageCard

_MOST_COMPARED = 5_000


def list_trending(work: UnitOfWork, limit: int) -> list[PackageCard]:
    """The packages that trend, the clearest first; none on a quiet hub."""
    ids = queries.trending(work.session, limit)
    if not ids:
        return []
    cards = list_cards(work, ids)
    return [cards[one] for one in ids if one in cards]


def changed_trends(work: UnitOfWork) -> dict[str, float]:
    """For the worker, in a transaction that reads: the packages whose trend is another one now.

    The session must see everything. Compared are the packages with the most senders, and those that trended.
    """
    since, recent = first_day(work, 2 * TREND_DAYS), first_day(work, TREND_DAYS)
    counted = queries.senders_by_package(work.session, since, recent, _MOST_COMPARED)
    found = {package_id: trend_of(after, before) for package_id, after, before in counted}
    best = sorted((-trend, package_id) for package_id, trend in found.items() if trend)[:MOST_TRENDING]
    now = {package_id: -trend for trend, package_id in best}
    before = queries.trends(work.session)
    return {one: now.get(one, 0.0) for one in now.keys() | before.keys() if now.get(one, 0.0) != before.get(one, 0.0)}


def keep_trends(work: UnitOfWork, changed: dict[str, float]) -> None:
    """For the worker: store what :func:`changed_trends` found, and delete who downloaded before the days that count."""
    queries.set_trends(work.session, changed)
    queries.forget_senders(work.session, first_day(work, TREND_DAYS))


def first_day(work: UnitOfWork, days: int) -> str:
    """The first of the last ``days`` days, today included, in UTC."""
    return (work.now.astimezone(UTC).date() - timedelta(days=days - 1)).isoformat()
