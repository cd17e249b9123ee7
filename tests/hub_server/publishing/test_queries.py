"""Counts of uploads: two at once both count, days are apart, and what is old is forgotten."""

import threading
from datetime import timedelta

from hub_server.accounts.queries.accounts import find_account
from hub_server.database.engine import Database
from hub_server.kernel.services import Services
from hub_server.publishing import queries
from tests.making.hub import Api, make_package


def account_id(services: Services) -> str:
    with services.database.reading() as session:
        row = find_account(session, "alice")
    assert row is not None
    return row.id


def count(database: Database, account: str, day: str, size: int) -> None:
    with database.writing() as session:
        queries.count_upload(session, account, day, attempts=1, size_bytes=size)


def total(database: Database, account: str, day: str) -> tuple[int, int]:
    with database.reading() as session:
        return queries.uploads_of(session, account, day)


def test_uploads_of_a_day_add_up_and_days_are_apart(alice: Api, services: Services) -> None:
    account = account_id(services)
    for size in (10, 2**40):
        count(services.database, account, "2026-11-21", size)
    count(services.database, account, "2026-11-22", 5)
    assert total(services.database, account, "2026-11-21") == (2, 10 + 2**40)
    assert total(services.database, account, "2026-11-22") == (1, 5)
    assert total(services.database, account, "2026-11-23") == (0, 0)


def test_the_first_uploads_of_a_day_all_count_even_if_they_come_at_once(alice: Api, services: Services) -> None:
    account = account_id(services)
    ready = threading.Barrier(5)

    def upload() -> None:
        ready.wait()
        count(services.database, account, "2026-11-21", 7)

    threads = [threading.Thread(target=upload) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total(services.database, account, "2026-11-21") == (5, 35)


def test_only_days_before_are_forgotten(alice: Api, services: Services) -> None:
    account = account_id(services)
    for day in ("2026-11-20", "2026-11-21"):
        count(services.database, account, day, 1)
    with services.database.writing() as session:
        queries.forget_uploads_before(session, "2026-11-21")
    assert [total(services.database, account, day)[0] for day in ("2026-11-20", "2026-11-21")] == [0, 1]


def test_releases_are_counted_by_who_published_them_and_when(alice: Api, bob: Api, services: Services) -> None:
    begin = services.clock.now()
    alice.publish(make_package())
    bob.publish(make_package("bob/sums"))
    with services.database.reading() as session:
        assert queries.count_releases_by(session, "alice", begin) == 1
        assert queries.count_releases_by(session, "alice", services.clock.now() + timedelta(hours=1)) == 0
        assert queries.count_releases_by(session, "nobody", begin) == 0
