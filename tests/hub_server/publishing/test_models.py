"""What the database itself refuses of uploads."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.publishing.models import UploadPartRow
from tests.making.action_driver import ActionDriver


def row(number: int, part: str) -> UploadPartRow:
    now = datetime(2026, 11, 26, tzinfo=UTC)
    return UploadPartRow(account_id="id-alice", digest="whole", number=number, part=part, size_bytes=1, arrived_at=now)


def test_a_part_has_one_place_and_the_same_bytes_may_have_several(driver: ActionDriver) -> None:
    driver.person("alice")
    with driver.writing() as work:
        work.session.add_all([row(0, "a"), row(1, "a")])
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(row(0, "b"))


def test_a_part_belongs_to_an_account_that_exists(driver: ActionDriver) -> None:
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(row(0, "a"))
