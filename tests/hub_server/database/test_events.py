"""Numbers of events grow in the order of commits, public positions have no gaps, and each follower sees all once."""

import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from hub_server.catalog.models import PackageRow
from hub_server.database.engine import Database
from hub_server.database.events import (
    EventRow,
    NewEvent,
    announce,
    has_new,
    newest_number,
    newest_position,
    public_events,
    take_new,
)
from hub_server.database.visibility import EVERYTHING
from schemas.events import EventKind
from tests.making.engines import INTERLEAVING

NOW = datetime(2026, 11, 25, tzinfo=UTC)


def add(session: Session, package_id: str, *, is_private: bool = False) -> None:
    fields = {"owner": "al", "kind": "tool", "created_by": "al", "is_private": is_private}
    session.add(PackageRow(id=package_id, created_at=NOW, updated_at=NOW, **fields))
    tell(session, package_id)


def tell(session: Session, package_id: str) -> None:
    announce(session, NewEvent(EventKind.RELEASE_PUBLISHED, NOW, "al", package_id=package_id))


def public(database: Database, after: int = 0, until: int = 10**6, limit: int = 100) -> list[tuple[str | None, int]]:
    with database.reading() as session:
        return [(row.package_id, row.position or 0) for row in public_events(session, after, until, limit)]


def taken(database: Database, follower: str = "f", limit: int = 100) -> list[int]:
    with database.writing(sees=EVERYTHING) as session:
        return [row.number for row in take_new(session, follower, limit)]


def test_events_are_numbered_in_order_and_what_is_rolled_back_did_not_happen(database: Database) -> None:
    def fail() -> None:
        with database.writing() as session:
            add(session, "al/z")
            raise RuntimeError

    with database.writing() as session:
        add(session, "al/a")
        add(session, "al/b")
    with pytest.raises(RuntimeError):
        fail()
    with database.writing() as session:
        tell(session, "al/a")
    assert public(database) == [("al/a", 1), ("al/b", 2), ("al/a", 3)]
    assert public(database, 1, 2) == [("al/b", 2)]
    assert public(database, limit=1) == [("al/a", 1)]


def test_what_is_private_has_a_number_and_leaves_no_gap_among_public_positions(database: Database) -> None:
    with database.writing() as session:
        add(session, "al/a")
        add(session, "al/secret", is_private=True)
        add(session, "al/b")
    assert public(database) == [("al/a", 1), ("al/b", 2)]
    with database.reading(sees=EVERYTHING) as session:
        assert (newest_number(session), newest_position(session)) == (3, 2)
        assert session.get_one(EventRow, 2).position is None


def test_a_follower_sees_each_event_once_and_those_of_a_failed_round_again(database: Database) -> None:
    def fail() -> None:
        with database.writing(sees=EVERYTHING) as session:
            assert len(take_new(session, "f", 2)) == 2
            raise RuntimeError

    assert taken(database) == []
    with database.writing() as session:
        for name in ("al/a", "al/b", "al/c"):
            add(session, name)
    with pytest.raises(RuntimeError):
        fail()
    assert [taken(database, limit=2), taken(database, limit=2), taken(database)] == [[1, 2], [3], []]
    with database.reading(sees=EVERYTHING) as session:
        assert (has_new(session, "f"), has_new(session, "other")) == (False, True)


@INTERLEAVING
def test_a_transaction_that_began_first_and_commits_last_is_not_passed_over(database: Database) -> None:
    """The classic gap of serial numbers: the slow writer announces first, and a reader asks between the commits."""
    announced, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        with database.writing() as session:
            add(session, "al/slow")
            session.flush()
            announced.set()
            assert go_on.wait(30)

    thread = threading.Thread(target=slow)
    thread.start()
    assert announced.wait(30)
    with database.writing() as session:
        add(session, "al/quick")
    assert public(database) == [("al/quick", 1)]
    assert taken(database) == [1]
    go_on.set()
    thread.join()
    assert public(database, after=1) == [("al/slow", 2)]
    assert taken(database) == [2]


@INTERLEAVING
def test_while_one_commits_the_next_waits_for_its_number(database: Database) -> None:
    """Two that end at the same time: whoever has the lock commits first, and no reader sees the second alone."""
    threads = [threading.Thread(target=_many, args=(database, letter)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    seen: list[int] = []
    while any(thread.is_alive() for thread in threads):
        seen += [position for _, position in public(database, after=seen[-1] if seen else 0)]
    seen += [position for _, position in public(database, after=seen[-1] if seen else 0)]
    assert seen == list(range(1, 41))


def _many(database: Database, letter: str) -> None:
    for number in range(10):
        with database.writing() as session:
            add(session, f"al/{letter}{number}")


def test_two_followers_of_one_name_share_the_events(database: Database) -> None:
    with database.writing() as session:
        for number in range(20):
            add(session, f"al/p{number}")
    found: list[int] = []

    def follow() -> None:
        while part := taken(database, limit=3):
            found.extend(part)

    threads = [threading.Thread(target=follow) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 21))
