"""The rows of who changed what: one a transaction, newest first, and not for ever."""

from datetime import timedelta

from hub_server.accounts.models import PERSON, AccountRow
from hub_server.database.activity import KEPT, forget_old, note, page_of
from hub_server.database.engine import Database
from tests.fakes.clock import FakeClock


def account(database: Database, clock: FakeClock, name: str) -> str:
    now = clock.now()
    with database.writing() as session:
        session.add(
            AccountRow(id=name, name=name, name_folded=name, kind=PERSON, email="", password_hash="", created_at=now)
        )
    return name


def noted(database: Database, clock: FakeClock, who: str, *acts: str) -> None:
    with database.writing() as session:
        for act in acts:
            note(session, clock.now(), who, act, target="/" + "x" * 500)
    clock.advance(60)


def acts(database: Database, who: str | None = None, before: str | None = None, limit: int = 9) -> list[str]:
    with database.reading() as session:
        return [row.act for row in page_of(session, who, before, limit)]


def test_a_transaction_has_one_row_and_rows_come_newest_first(database: Database, clock: FakeClock) -> None:
    alice, bob = account(database, clock, "alice"), account(database, clock, "bob")
    noted(database, clock, alice, "first", "and what belongs to it")
    noted(database, clock, bob, "second")
    noted(database, clock, alice, "third")
    assert acts(database) == ["third", "second", "first"]
    assert acts(database, alice) == ["third", "first"]
    with database.reading() as session:
        newest = page_of(session, None, None, 1)[0]
    assert len(newest.target) <= 200
    assert acts(database, before=newest.id) == ["second", "first"]


def test_what_is_rolled_back_leaves_no_row(database: Database, clock: FakeClock) -> None:
    alice = account(database, clock, "alice")
    try:
        with database.writing() as session:
            note(session, clock.now(), alice, "never")
            raise RuntimeError
    except RuntimeError:
        pass
    assert acts(database) == []


def test_only_what_is_older_than_it_is_kept_for_goes(database: Database, clock: FakeClock) -> None:
    alice = account(database, clock, "alice")
    noted(database, clock, alice, "old")
    clock.advance(KEPT.total_seconds())
    noted(database, clock, alice, "young")
    with database.writing() as session:
        forget_old(session, clock.now() - timedelta(seconds=61))
    assert acts(database) == ["young"]
