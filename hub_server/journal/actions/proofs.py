"""Proofs from the journal: its signed root, that it only grew, and that a release is in it."""

from collections.abc import Iterator

from hub_server.database import journal
from hub_server.errors import InvalidRequestError
from hub_server.journal import queries
from hub_server.journal.actions.keys import journal_origin
from hub_server.journal.errors import EntryNotFoundError, NothingCopiedError, TreeSizeError
from hub_server.journal.rules import hash_of, nodes_in
from hub_server.kernel.cursors import check_limit
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.journal.entries import (
    ConsistencyProof,
    Envelope,
    EnvelopeSignature,
    JournalCheckpoint,
    JournalEntry,
    JournalPage,
    ReleaseProof,
    Statement,
    encode,
)
from schemas.journal.merkle import GrowingTree, Range, consistency_ranges, inclusion_ranges
from schemas.journal.signed_note import SignedNote

_BATCH = 1000


def get_checkpoint(work: UnitOfWork) -> str:
    """The root of the journal as it stands, as a signed note."""
    return _checkpoint(work, _size(work))


def _size(work: UnitOfWork) -> int:
    """How many entries are shown. A mirror shows what its newest checkpoint covers."""
    if not work.services.settings.mirror.of:
        return journal.journal_size(work.session)
    followed = queries.find_followed(work.session)
    if followed is None or not followed.checkpoint:
        raise NothingCopiedError("This mirror has not copied the journal of the other hub yet: ask again soon.")
    return followed.size


def _checkpoint(work: UnitOfWork, size: int) -> str:
    """The root of the first ``size`` entries. A mirror gives it as the other hub has signed it."""
    if work.services.settings.mirror.of:
        followed = queries.find_followed(work.session)
        assert followed is not None, "its size was asked for"
        return followed.checkpoint
    origin = journal_origin(work)
    (root,) = _hashes(work, [(0, size)])
    text = JournalCheckpoint(origin, size, root).text
    return str(SignedNote(text, (work.services.signer.sign_note(origin, text),)))


def get_consistency(work: UnitOfWork, old: int, new: int) -> ConsistencyProof:
    """That the first ``old`` of ``new`` entries are the same. Raises ``TreeSizeError``."""
    size = _size(work)
    if not 0 <= old <= new <= size:
        raise TreeSizeError(f"The journal has {size} entries: give 0 <= old <= new <= {size}.")
    hashes = _hashes(work, consistency_ranges(old, new))
    return ConsistencyProof(old=old, new=new, hashes=[encode(one) for one in hashes])


def get_release_proof(work: UnitOfWork, package_id: str, version: str) -> ReleaseProof:
    """That this hub published a release, with the bytes that it has. Raises ``EntryNotFoundError``."""
    size = _size(work)
    row = queries.find_publish(work.session, package_id, version)
    if row is None or row.position >= size:
        raise EntryNotFoundError(f"The journal says nothing of {package_id} {version}.")
    hashes = _hashes(work, inclusion_ranges(row.position, size))
    return ReleaseProof(
        position=row.position,
        envelope=_envelope_of(row),
        hashes=[encode(one) for one in hashes],
        checkpoint=_checkpoint(work, size),
    )


def find_entry(work: UnitOfWork, package_id: str, version: str) -> int | None:
    """The number, from 1 on, of the entry that says that a release was published; None for what is private."""
    position = queries.position_of_publish(work.session, package_id, version)
    return None if position is None else position + 1


def list_entries(work: UnitOfWork, start: int, limit: int) -> JournalPage:
    """Entries from position ``start`` on, for whoever keeps a copy."""
    size = _size(work)
    if not 0 <= start <= size:
        raise InvalidRequestError(f"The journal has {size} entries: start is between 0 and {size}.")
    rows = queries.entries_from(work.session, start, min(check_limit(limit), size - start))
    items = [JournalEntry(position=row.position, envelope=_envelope_of(row)) for row in rows]
    return JournalPage(start=start, size=size, items=items, checkpoint=_checkpoint(work, size))


def tree_faults(work: UnitOfWork) -> Iterator[str]:
    """What is wrong with the stored journal, one sentence each: every entry is read and hashed again."""
    tree = GrowingTree()
    while rows := queries.entries_from(work.session, tree.size, _BATCH):
        for row in rows:
            if row.position != tree.size:
                yield f"entry {tree.size} of the journal is missing"
                return
            try:
                Statement.parse(row.statement.encode())
            except ValueError as error:
                yield f"entry {tree.size}: {error}"
            tree.add(row.statement.encode())
        work.session.expunge_all()
    if [tree.root] != _hashes(work, [(0, tree.size)]):
        yield "the entries of the journal are not those that were hashed when they were added"


def count_publishes(work: UnitOfWork) -> int:
    """How many releases the journal names."""
    return queries.count_publishes(work.session)


def _hashes(work: UnitOfWork, spans: list[Range]) -> list[bytes]:
    stored = journal.nodes_at(work.session, nodes_in(spans))
    return [hash_of(span, stored) for span in spans]


def _envelope_of(row: journal.JournalEntryRow) -> Envelope:
    signature = EnvelopeSignature(keyid=row.key_id, sig=row.signature)
    return Envelope(payload=encode(row.statement.encode()), signatures=[signature])
