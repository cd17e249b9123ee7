"""A mirror's journal: the other hub's, copied entry by entry, and shown up to the newest checkpoint that it covers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session

from hub_server.database import journal
from hub_server.errors import InvalidRequestError
from hub_server.journal import queries
from hub_server.journal.models import FollowedJournalRow, SigningKeyRow
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.journal.entries import Envelope, JournalCheckpoint, Statement, decode
from schemas.journal.hub_keys import HubKey
from schemas.journal.merkle import GrowingTree, nodes_of
from schemas.journal.signing_keys import SigningKey


@dataclass(frozen=True)
class SealedEntry:
    """An entry whose signature was checked. ``key_id``: of the key that has sealed the envelope."""

    statement: Statement
    envelope: Envelope
    key_id: str


def find_followed(session: Session) -> FollowedJournalRow | None:
    """The hub whose journal this one copies; None: it has its own. Asked before there are services, so by session."""
    return queries.find_followed(session)


def follow(session: Session, url: str) -> None:
    """Copy the journal of the hub at ``url`` from now on, or go on with it under that address.

    Raises ``InvalidRequestError`` where this hub has a journal of its own, which no copy may be mixed with.
    """
    row = queries.find_followed(session)
    if row is not None:
        row.url = url
        return
    if queries.has_entries(session) or queries.signing_keys(session):
        raise InvalidRequestError(
            "This data folder holds a hub with a journal of its own, which cannot become a mirror: name an empty "
            "folder with --data."
        )
    session.add(FollowedJournalRow(id=1, url=url))


def copied_tree(work: UnitOfWork) -> GrowingTree:
    """The tree over all entries that were copied, those beyond the checkpoint too."""
    size = journal.journal_size(work.session)
    nodes = nodes_of((0, size))
    stored = journal.nodes_at(work.session, nodes)
    return GrowingTree.grown(size, [bytes.fromhex(stored[node]) for node in nodes])


def followed_keys(work: UnitOfWork, origin: str) -> tuple[HubKey, ...]:
    """The other hub's keys that are known here, oldest first."""
    rows = queries.signing_keys(work.session)
    return tuple(HubKey(origin, decode(row.public_key)) for row in reversed(rows))


def add_copied(work: UnitOfWork, entries: Iterable[SealedEntry]) -> None:
    """Append entries as they are; they get their positions when the transaction commits."""
    for entry in entries:
        said = entry.statement
        signature = next(one.sig for one in entry.envelope.signatures if one.keyid == entry.key_id)
        journal.record(
            work.session,
            journal.NewEntry(
                act=said.act.value,
                package_id=said.package,
                version=said.version,
                at=said.at,
                statement=decode(entry.envelope.payload),
                key_id=entry.key_id,
                signature=signature,
            ),
        )


def show_until(work: UnitOfWork, note: str, checkpoint: JournalCheckpoint, key: HubKey) -> None:
    """Show the copy up to ``checkpoint``, which ``key`` has signed."""
    row = queries.find_followed(work.session)
    assert row is not None, "a mirror has this row from its first start"
    row.checkpoint, row.size, row.key_id = note, checkpoint.size, key.id


def remember_keys(work: UnitOfWork, keys: Sequence[HubKey], listed: Sequence[SigningKey]) -> None:
    """Remember the other hub's keys, oldest first, and its journal's name. ``listed``: what it tells of them."""
    row = queries.find_followed(work.session)
    assert row is not None, "a mirror has this row from its first start"
    row.name = keys[-1].origin
    told = {item.id: item for item in listed}
    last = datetime.min.replace(tzinfo=UTC)
    for key in keys:
        known = queries.find_signing_key(work.session, key.id)
        if known is None:
            item = told.get(key.id)
            known = SigningKeyRow(
                id=key.id,
                public_key=key.text,
                first_used_at=max(_time_of(item) or work.now, last + timedelta(milliseconds=1)),
                introduction=item.introduction if item is not None else "",
            )
            work.session.add(known)
        last = known.first_used_at  # keys are read back in the order of their times


def _time_of(key: SigningKey | None) -> datetime | None:
    at = key.first_used_at if key is not None else None
    return at if at is not None and at.tzinfo is not None else None


def entries_about(work: UnitOfWork, package_id: str) -> list[Statement]:
    """What the journal, as far as it is shown, says of a package, in order."""
    row = queries.find_followed(work.session)
    size = row.size if row is not None else 0
    rows = queries.entries_of(work.session, package_id, size)
    return [Statement.parse(entry.statement.encode()) for entry in rows]
