"""Several serving processes let through what one bucket allows, and ask the database seldom."""

import asyncio
from collections import Counter

import pytest
from sqlalchemy import text

from hub_server.app import create_app
from hub_server.database.read_only import set_read_only
from hub_server.web.shared_buckets import SharedBuckets
from tests.making.action_driver import ActionDriver
from tests.making.hub import Api

NOW = 1_800_000_000.0


def made(driver: ActionDriver, burst: int, name: str = "reads") -> SharedBuckets:
    return SharedBuckets(name, 1e-6, burst, driver.services.database, clock=lambda: NOW)


def let_through(buckets: SharedBuckets, count: int, sender: str = "address:192.0.2.7") -> int:
    async def ask() -> int:
        return sum([not await buckets.take(sender) for _ in range(count)])

    return asyncio.run(ask())


def test_two_processes_let_through_as_much_as_one(driver: ActionDriver) -> None:
    first, second = made(driver, 40), made(driver, 40)
    assert let_through(first, 30) == 30
    assert let_through(second, 30) == 10
    assert let_through(first, 30) == 0
    assert let_through(second, 1, "address:192.0.2.8") == 1
    assert let_through(made(driver, 40, "writes"), 1) == 1  # each kind of request has its own


def test_a_hundred_requests_ask_the_database_five_times_and_refusals_hardly_ever(driver: ActionDriver) -> None:
    buckets = made(driver, 400)
    with driver.statements() as sent:
        assert let_through(buckets, 100) == 100
    assert sum("INSERT INTO rate_buckets" in one for one in sent) == 5
    let_through(buckets, 400)
    with driver.statements() as sent:
        assert let_through(buckets, 1000) == 0
    assert sent == []


def test_a_thousand_requests_at_once_ask_no_more_often_than_in_turn(driver: ActionDriver) -> None:
    """Else one sender's flood fills the threads that every sender's requests wait for."""
    buckets = made(driver, 40)

    async def ask() -> list[float]:
        return await asyncio.gather(*(buckets.take("address:192.0.2.7") for _ in range(1000)))

    with driver.statements() as sent:
        assert asyncio.run(ask()).count(0.0) == 40
    assert sum("INSERT INTO rate_buckets" in one for one in sent) <= 40


def test_no_address_stands_in_the_database(driver: ActionDriver) -> None:
    let_through(made(driver, 1), 1)
    [(key,)] = driver.rows("SELECT key FROM rate_buckets")
    assert key.startswith("reads:")
    assert "192" not in key


@pytest.mark.parametrize("fault", ["no table", "read-only"])
def test_without_the_database_each_process_counts_for_itself(driver: ActionDriver, fault: str) -> None:
    with driver.services.database.writing() as session:
        if fault == "read-only":
            set_read_only(session, driver.clock.now(), "x")
        else:
            session.execute(text("DROP TABLE rate_buckets"))
    first, second = made(driver, 5), made(driver, 5)
    assert (let_through(first, 9), let_through(second, 9)) == (5, 5)


def test_two_applications_of_one_hub_share_the_tries_of_a_password(driver: ActionDriver) -> None:
    limits = driver.services.settings.limits.model_copy(update={"shared": True, "logins_burst": 4})
    object.__setattr__(driver.services, "settings", driver.services.settings.model_copy(update={"limits": limits}))
    hubs = [Api(create_app(driver.services)) for _ in range(2)]
    body = {"name": "alice", "password": "wrong wrong wrong"}
    answers = Counter(hubs[number % 2].post("/api/v1/login", json=body).status_code for number in range(10))
    assert answers == {401: 4, 429: 6}
