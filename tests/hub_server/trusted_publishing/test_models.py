"""What the tables themselves hold to: a used token once, and a publisher only of an account that exists."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.trusted_publishing.models import TrustedPublisherRow, UsedIdentityRow
from tests.making.desk import Desk


def add(desk: Desk, row: object) -> None:
    with desk.writing() as work:
        work.session.add(row)


def test_a_used_token_stands_once(desk: Desk) -> None:
    add(desk, UsedIdentityRow(key="a", expires_at=desk.clock.now()))
    with pytest.raises(IntegrityError):
        add(desk, UsedIdentityRow(key="a", expires_at=desk.clock.now()))


def test_a_publisher_belongs_to_an_account(desk: Desk) -> None:
    fields = {"package_id": "alice/x", "provider": "github", "issuer": "i", "repository": "r", "workflow": "w"}
    with pytest.raises(IntegrityError):
        add(desk, TrustedPublisherRow(id="p", account_id="nobody", created_at=desk.clock.now(), **fields))
