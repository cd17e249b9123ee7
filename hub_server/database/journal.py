"""The journal's rows: entries in the order of the commits, and the nodes of the Merkle tree over them.

Entries get their positions in the last statements of a transaction, under the lock that numbers changes of packages
(``database.package_changes``): positions have no gaps, and whoever sees one sees every smaller one. Rows are only ever
added. Of the tree, every complete subtree is stored: about two hashes an entry, and no entry is hashed twice.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BigInteger, Index, and_, func, insert, or_, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base, OrderedText
from hub_server.database.package_changes import exclude_other_numbers
from schemas.journal.merkle import Node, leaf_hash, node_hash

_RECORDED = "recorded_entries"


class JournalEntryRow(Base):
    """One entry. ``statement`` is exactly what is hashed and signed; the columns beside it are for finding it."""

    __tablename__ = "journal_entries"
    __table_args__ = (Index("ix_journal_entries_package_id_version", "package_id", "version"),)

    position: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    act: Mapped[str]
    package_id: Mapped[str | None] = mapped_column(OrderedText)
    version: Mapped[str | None]
    at: Mapped[datetime]
    statement: Mapped[str]
    key_id: Mapped[str]
    signature: Mapped[str]
    """Of the DSSE envelope around ``statement``, in base64."""


class JournalNodeRow(Base):
    """The hash (hexadecimal) of a complete subtree: ``2**level`` entries from ``position * 2**level`` on."""

    __tablename__ = "journal_nodes"

    level: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    hash: Mapped[str]


@dataclass(frozen=True)
class NewEntry:
    """An entry that has no position yet."""

    act: str
    package_id: str | None
    version: str | None
    at: datetime
    statement: bytes
    key_id: str
    signature: str


def record(session: Session, entry: NewEntry) -> None:
    """Add an entry to the journal with this transaction's commit."""
    session.info.setdefault(_RECORDED, []).append(entry)


def append_recorded(session: Session) -> None:
    """Give the transaction's entries their positions, and hash them into the tree. Called once, before the commit."""
    entries: list[NewEntry] = session.info.pop(_RECORDED, [])
    if not entries:
        return
    session.flush()
    exclude_other_numbers(session)
    size = journal_size(session)
    hashes: dict[Node, str] = _edge(session, size)
    known = set(hashes)
    for position, entry in enumerate(entries, size):
        _grow(hashes, position, leaf_hash(entry.statement))
    # As values: a first start enters hundreds of thousands, and an object costs more than a signature.
    rows = [
        {**vars(entry), "statement": entry.statement.decode(), "position": position}
        for position, entry in enumerate(entries, size)
    ]
    session.execute(insert(JournalEntryRow), rows)
    nodes = [
        {"level": level, "position": index, "hash": found}
        for (level, index), found in hashes.items()
        if (level, index) not in known
    ]
    session.execute(insert(JournalNodeRow), nodes)


def _edge(session: Session, size: int) -> dict[Node, str]:
    """The complete subtrees of a tree that have no right neighbour yet: all that growing it needs."""
    wanted = [(level, (size >> level) - 1) for level in range(size.bit_length()) if size >> level & 1]
    return nodes_at(session, wanted)


def _grow(hashes: dict[Node, str], position: int, leaf: bytes) -> None:
    """Add a leaf, and every subtree that it completes."""
    level, found = 0, leaf
    hashes[0, position] = found.hex()
    while position & 1:
        found = node_hash(bytes.fromhex(hashes[level, position - 1]), found)
        level, position = level + 1, position >> 1
        hashes[level, position] = found.hex()


def journal_size(session: Session) -> int:
    """How many entries there are."""
    newest = session.scalar(select(func.max(JournalEntryRow.position)))
    return 0 if newest is None else newest + 1


def nodes_at(session: Session, nodes: list[Node]) -> dict[Node, str]:
    """The hashes of these subtrees, as far as they are complete. At most a few hundred are asked for at a time."""
    if not nodes:
        return {}
    positions = defaultdict[int, list[int]](list)
    for level, position in nodes:
        positions[level].append(position)
    # By level: for pairs SQLite reads the whole table, whatever the index, and this is asked for in every publish.
    each = (
        and_(JournalNodeRow.level == level, JournalNodeRow.position.in_(found)) for level, found in positions.items()
    )
    rows = session.scalars(select(JournalNodeRow).where(or_(*each)))
    return {(row.level, row.position): row.hash for row in rows}
