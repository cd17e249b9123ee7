"""Positions grow in the order of commits: whoever has read up to one has missed none below it."""

import threading
import time
from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from hub_server.catalog.models import PackageRow
from hub_server.database.engine import Database
from hub_server.database.package_changes import changes_after, mark_changed, newest_position

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def add(session: Session, package_id: str) -> None:
    session.add(PackageRow(id=package_id, owner="al", kind="tool", created_at=NOW, created_by="al", updated_at=NOW))
    mark_changed(session, package_id)


def changed(database: Database, position: int = 0) -> list[tuple[str, int]]:
    with database.reading() as session:
        return [(row.package_id, row.position) for row in changes_after(session, position, 1000)]


def test_a_package_stands_once_at_its_last_change(database: Database) -> None:
    with database.writing() as session:
        add(session, "al/a")
        add(session, "al/b")
    assert changed(database) == [("al/a", 1), ("al/b", 2)]
    with database.writing() as session:
        mark_changed(session, "al/a")
        mark_changed(session, "al/a")
    assert changed(database) == [("al/b", 2), ("al/a", 3)]
    assert changed(database, 2) == [("al/a", 3)]
    with database.reading() as session:
        assert newest_position(session) == 3
        assert [row.package_id for row in changes_after(session, 0, 1)] == ["al/b"]


def test_an_empty_hub_stands_at_zero(database: Database) -> None:
    with database.reading() as session:
        assert newest_position(session) == 0


def test_what_is_rolled_back_changed_nothing(database: Database) -> None:
    def fail() -> None:
        with database.writing() as session:
            add(session, "al/a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert changed(database) == []


def test_more_packages_than_fit_in_one_statement(database: Database) -> None:
    with database.writing() as session:
        for number in range(1101):
            add(session, f"al/p{number}")
    assert [position for _, position in changed(database)] == list(range(1, 1001))
    assert len(changed(database, 1000)) == 101


def test_a_reader_who_follows_positions_misses_nothing(database: Database) -> None:
    """Transactions that begin in one order and commit in another: the classic gap of serial numbers."""
    stop = threading.Event()
    seen: dict[str, int] = {}

    def follow() -> None:
        position = 0
        while True:
            last_round = stop.is_set()
            for package_id, at in changed(database, position):
                assert at > position
                seen[package_id] = position = at
            if last_round:
                return

    def write(prefix: str, pause: float) -> None:
        for number in range(8):
            with database.writing() as session:
                add(session, f"al/{prefix}{number}")
                session.flush()
                if not database.is_sqlite:  # SQLite has one writer at a time, who should not sleep
                    time.sleep(pause)

    follower = threading.Thread(target=follow)
    writers = [threading.Thread(target=write, args=(f"w{n}x", 0.004 * n)) for n in range(4)]
    for thread in (follower, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    follower.join()
    assert len(seen) == 32
    assert sorted(seen.values()) == sorted(set(seen.values()))


def test_transactions_that_change_the_same_packages_in_other_orders_end(database: Database) -> None:
    with database.writing() as session:
        for name in "abcd":
            add(session, f"al/{name}")
    faults: list[BaseException] = []

    def mark(order: str) -> None:
        try:
            for _ in range(10):
                with database.writing() as session:
                    for name in order:
                        mark_changed(session, f"al/{name}")
        except BaseException as error:  # noqa: BLE001 -- asserted on below
            faults.append(error)

    threads = [threading.Thread(target=mark, args=(order,)) for order in ("abcd", "dcba", "bdac")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len({position for _, position in changed(database)}) == 4
