"""What the tables themselves hold to: a used token once, and a publisher only of an account that exists."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.trusted_publishing.models import TrustedPublisherRow, UsedIdentityRow
from tests.making.action_driver import ActionDriver


def add(driver: ActionDriver, row: object) -> None:
    with driver.writing() as work:
        work.session.add(row)


def test_a_used_token_stands_once(driver: ActionDriver) -> None:
    add(driver, UsedIdentityRow(key="a", expires_at=driver.clock.now()))
    with pytest.raises(IntegrityError):
        add(driver, UsedIdentityRow(key="a", expires_at=driver.clock.now()))


def test_a_publisher_belongs_to_an_account(driver: ActionDriver) -> None:
    fields = {"package_id": "alice/x", "provider": "github", "issuer": "i", "repository": "r", "workflow": "w"}
    with pytest.raises(IntegrityError):
        add(driver, TrustedPublisherRow(id="p", account_id="nobody", created_at=driver.clock.now(), **fields))
