"""Buckets in the database: a burst, then a rate, and no token is taken twice."""

import threading

from sqlalchemy import text

from hub_server.database.engine import Database
from hub_server.database.rate_buckets import forget_full_buckets, seconds_until_token, take_tokens

NOW = 1_800_000_000.0


def take(database: Database, key: str, count: int = 1, *, now: float = NOW, burst: int = 5) -> bool:
    with database.writing() as session:
        return take_tokens(session, key, count, rate=2.0, burst=burst, now=now)


def wait(database: Database, key: str, now: float = NOW) -> float:
    with database.reading() as session:
        return seconds_until_token(session, key, rate=2.0, burst=5, now=now)


def test_a_burst_then_a_rate_for_each_key(database: Database) -> None:
    assert [take(database, "a") for _ in range(6)] == [True] * 5 + [False]
    assert wait(database, "a") == 0.5
    assert wait(database, "b") == 0.0
    assert take(database, "b", 5)
    assert not take(database, "b", 1)
    assert take(database, "a", now=NOW + 0.5)
    assert not take(database, "a", now=NOW + 0.5)
    assert take(database, "a", 5, now=NOW + 60)  # full again, and not fuller


def test_a_portion_is_given_whole_or_not_at_all(database: Database) -> None:
    assert take(database, "a", 3)
    assert not take(database, "a", 3)
    assert take(database, "a", 2)


def test_eight_at_once_take_no_token_twice(database: Database) -> None:
    taken: list[bool] = []
    threads = [
        threading.Thread(target=lambda: taken.extend(take(database, "a", burst=10) for _ in range(3))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(taken), sum(taken)) == (24, 10)


def test_full_buckets_need_no_row(database: Database) -> None:
    take(database, "a", 4)
    take(database, "b", 1)
    with database.writing() as session:
        forget_full_buckets(session, NOW + 1)
        assert session.scalars(text("SELECT key FROM rate_buckets")).all() == ["a"]
