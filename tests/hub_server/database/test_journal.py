"""Entries in the order of the commits, without gaps, and a tree that fits them, on both databases."""

import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select

from hub_server.database.engine import Database
from hub_server.database.journal import JournalEntryRow, JournalNodeRow, NewEntry, journal_size, nodes_at, record
from schemas.journal import merkle

NOW = datetime(2026, 11, 25, tzinfo=UTC)


def entry(number: int) -> NewEntry:
    return NewEntry("publish", "alice/sums", str(number), NOW, f"entry {number}".encode(), "key", "signature")


def add(database: Database, *numbers: int) -> None:
    with database.writing() as session:
        for number in numbers:
            record(session, entry(number))


def root(database: Database) -> bytes:
    with database.reading() as session:
        nodes = merkle.nodes_of((0, journal_size(session)))
        found = nodes_at(session, nodes)
    return merkle.join([bytes.fromhex(found[node]) for node in nodes])


def expected(statements: list[str]) -> bytes:
    hashes = [merkle.leaf_hash(one.encode()) for one in statements]
    return merkle.join([whole(hashes[i << n : (i + 1) << n]) for n, i in merkle.nodes_of((0, len(hashes)))])


def whole(hashes: list[bytes]) -> bytes:
    while len(hashes) > 1:
        hashes = [merkle.node_hash(*hashes[i : i + 2]) for i in range(0, len(hashes), 2)]
    return hashes[0]


def test_the_tree_grows_with_every_entry_however_many_come_at_once(database: Database) -> None:
    assert root(database) == merkle.EMPTY_ROOT
    done = 0
    for count in (1, 1, 3, 1, 8, 2):
        add(database, *range(done, done + count))
        done += count
        assert root(database) == expected([f"entry {number}" for number in range(done)])
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(JournalNodeRow)) == 2 * 16 - 1, "two hashes an entry"


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    def fail() -> None:
        with database.writing() as session:
            record(session, entry(1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with database.reading() as session:
        assert journal_size(session) == 0


def test_writers_at_once_leave_no_gap_and_no_wrong_tree(database: Database) -> None:
    threads = [threading.Thread(target=add, args=(database, 3 * n, 3 * n + 1, 3 * n + 2)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.reading() as session:
        rows = list(session.scalars(select(JournalEntryRow).order_by(JournalEntryRow.position)))
    assert [row.position for row in rows] == list(range(24))
    assert root(database) == expected([row.statement for row in rows])
    assert len({row.statement for row in rows}) == 24
