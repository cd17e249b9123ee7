"""Read collections."""

from collections.abc import Mapping, Sequence

from hub_server.accounts.queries import accounts as account_queries
from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import WithheldError
from hub_server.collections import queries
from hub_server.collections.errors import CollectionNotFoundError
from hub_server.collections.models import CollectionEntryRow, CollectionRow
from hub_server.collections.rules import words_of
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.collections import Collection, CollectionSummary, ShownEntry
from schemas.package import AuditSummary, PackageCard, Visibility
from schemas.page import Page


def get_collection(work: UnitOfWork, owner: str, name: str) -> Collection:
    """A collection with its entries. Raises ``CollectionNotFoundError``, ``WithheldError``."""
    return collection_of(work, get_row(work, owner, name))


def get_collection_page(work: UnitOfWork, owner: str, name: str, *, page: int, size: int) -> tuple[Collection, int]:
    """A collection with the ``size`` entries of one page, and the number of that page: the last, where there are fewer.

    ``entry_count`` is that of all pages; the first is 1. Raises as :func:`get_collection`.
    """
    row = get_row(work, owner, name)
    count = queries.count_entries(work.session, [row.id]).get(row.id, 0)
    number = max(1, min(page, -(-count // size)))
    entries = queries.entries_of(work.session, row.id, start=(number - 1) * size, limit=size)
    return _collection_of(work, row, entries, count), number


def get_row(work: UnitOfWork, owner: str, name: str) -> CollectionRow:
    """A collection's row, for actions on it. Moderators see what they hid. Raises as :func:`get_collection`."""
    row = queries.find_collection(work.session, owner, name)
    if row is None:
        raise CollectionNotFoundError(f"There is no collection {owner}/{name} on this hub.")
    if not work.sees_hidden:
        if row.hidden_reason is not None:
            raise WithheldError(f"The collection {owner}/{name} is hidden: {row.hidden_reason}")
        if account_queries.is_hidden(work.session, owner):
            raise WithheldError(f"The collection {owner}/{name} is hidden while its owner is suspended.")
    return row


def list_collections(
    work: UnitOfWork,
    *,
    text: str = "",
    owner: str | None = None,
    package: str | None = None,
    cursor: str | None = None,
    limit: int = 20,
) -> Page[CollectionSummary]:
    """Collections, newest first: those with every word of ``text``, of ``owner``, that hold ``package``."""
    after = decode_cursor(cursor, "collections", str)
    rows = queries.page_of_collections(
        work.session,
        words=words_of(text),
        owner=owner,
        package=package,
        before=after[0] if after else None,
        limit=check_limit(limit) + 1,
    )
    more = encode_cursor("collections", rows[limit - 1].id) if len(rows) > limit else None
    return Page[CollectionSummary](items=_summaries(work, rows[:limit]), next=more)


def list_collections_with(work: UnitOfWork, package: str, owner: str, limit: int) -> list[CollectionSummary]:
    """Collections that hold a package, for its page: those of its owner first, then the oldest."""
    return _summaries(work, queries.collections_with(work.session, package, owner, limit))


def _summaries(work: UnitOfWork, rows: Sequence[CollectionRow]) -> list[CollectionSummary]:
    counts = queries.count_entries(work.session, [row.id for row in rows])
    return [CollectionSummary(**_facts(row), entry_count=counts.get(row.id, 0)) for row in rows]


def collection_of(work: UnitOfWork, row: CollectionRow) -> Collection:
    """A collection's row as the wire shows it."""
    entries = queries.entries_of(work.session, row.id)
    return _collection_of(work, row, entries, len(entries))


def _collection_of(
    work: UnitOfWork, row: CollectionRow, entries: Sequence[CollectionEntryRow], count: int
) -> Collection:
    cards = catalog.list_cards(work, [entry.package_id for entry in entries])
    audits = catalog.list_pinned_audits(work, {(one.package_id, one.version) for one in entries if one.version})
    return Collection(
        **_facts(row),
        entry_count=count,
        owner=row.owner,
        text=row.text,
        entries=[_entry_of(entry, cards.get(entry.package_id), audits) for entry in entries],
        revision=row.revision,
        hidden_reason=row.hidden_reason,
    )


def _entry_of(
    row: CollectionEntryRow, card: PackageCard | None, audits: Mapping[tuple[str, str], AuditSummary]
) -> ShownEntry:
    audit = audits.get((row.package_id, row.version)) if row.version else card.audit if card is not None else None
    return ShownEntry(
        package=row.package_id,
        version=row.version or None,
        note=row.note,
        card=card,
        audit=audit if card is not None else None,
    )


def _facts(row: CollectionRow) -> dict[str, object]:
    return {
        "id": f"{row.owner}/{row.name}",
        "title": row.title,
        "visibility": Visibility.PRIVATE if row.is_private else Visibility.PUBLIC,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }
