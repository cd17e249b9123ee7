"""What the tables themselves hold to: a name once for each owner, and entries of packages that there are."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.collections.models import CollectionEntryRow, CollectionRow
from tests.making.action_driver import ActionDriver


def row(driver: ActionDriver, identifier: str) -> CollectionRow:
    now = driver.clock.now()
    return CollectionRow(
        id=identifier, owner="alice", name="sums", title="t", created_at=now, updated_at=now, updated_by="alice"
    )


def test_an_owner_has_a_name_once(driver: ActionDriver) -> None:
    with driver.writing() as work:
        work.session.add(row(driver, "a"))
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(row(driver, "b"))


def test_an_entry_is_of_a_package_that_there_is(driver: ActionDriver) -> None:
    with driver.writing() as work:
        work.session.add(row(driver, "a"))
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(CollectionEntryRow(collection_id="a", position=0, package_id="alice/none"))
