"""What the tables themselves hold to."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.watches.models import WatcherRow, WatchRow
from tests.making.action_driver import ActionDriver


def add(driver: ActionDriver, *rows: object) -> None:
    with driver.writing() as work:
        for row in rows:
            work.session.add(row)
            work.session.flush()


def test_something_is_watched_once_and_by_an_account(driver: ActionDriver) -> None:
    driver.person("al")
    now = driver.clock.now()
    with pytest.raises(IntegrityError):
        add(driver, WatchRow(account_id="id-nobody", owner="bo", package_id="", since=now))
    add(driver, WatchRow(account_id="id-al", owner="bo", package_id="", since=now))
    with pytest.raises(IntegrityError):
        add(driver, WatchRow(account_id="id-al", owner="bo", package_id="", since=now))


def test_no_two_accounts_have_one_link(driver: ActionDriver) -> None:
    for name in ("al", "bo"):
        driver.person(name)
    rows = [
        WatcherRow(account_id=f"id-{name}", pace="hour", unsubscribe_code="same", earliest_at=driver.clock.now())
        for name in ("al", "bo")
    ]
    with pytest.raises(IntegrityError):
        add(driver, *rows)
