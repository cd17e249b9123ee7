"""What the tables themselves hold to."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.watches.models import WatcherRow, WatchRow
from tests.making.desk import Desk


def add(desk: Desk, *rows: object) -> None:
    with desk.writing() as work:
        for row in rows:
            work.session.add(row)
            work.session.flush()


def test_something_is_watched_once_and_by_an_account(desk: Desk) -> None:
    desk.person("al")
    now = desk.clock.now()
    with pytest.raises(IntegrityError):
        add(desk, WatchRow(account_id="id-nobody", owner="bo", package_id="", since=now))
    add(desk, WatchRow(account_id="id-al", owner="bo", package_id="", since=now))
    with pytest.raises(IntegrityError):
        add(desk, WatchRow(account_id="id-al", owner="bo", package_id="", since=now))


def test_no_two_accounts_have_one_link(desk: Desk) -> None:
    for name in ("al", "bo"):
        desk.person(name)
    rows = [
        WatcherRow(account_id=f"id-{name}", pace="hour", unsubscribe_code="same", earliest_at=desk.clock.now())
        for name in ("al", "bo")
    ]
    with pytest.raises(IntegrityError):
        add(desk, *rows)
