"""What the tables themselves hold to."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.journal.models import FollowedJournalRow
from tests.making.action_driver import ActionDriver


def test_a_hub_follows_one_other_and_begins_with_nothing_known_of_it(driver: ActionDriver) -> None:
    with driver.writing() as work:
        work.session.add(FollowedJournalRow(id=1, url="https://hub.test"))
    with driver.reading() as work:
        row = work.session.get(FollowedJournalRow, 1)
        assert row is not None
        assert (row.name, row.checkpoint, row.size, row.event, row.asked_at) == ("", "", 0, None, None)
        assert (row.problem, row.is_stopped) == ("", False)
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(FollowedJournalRow(id=1, url="https://other.test"))
