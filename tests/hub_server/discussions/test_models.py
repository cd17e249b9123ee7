"""What the tables hold to, and that what lists ask is found by an index."""

import pytest
from sqlalchemy.exc import IntegrityError

from hub_server.discussions.models import DiscussionRow, PostRow
from tests.making.action_driver import ActionDriver


def test_a_discussion_is_of_a_package_and_a_post_of_a_discussion_that_there_are(driver: ActionDriver) -> None:
    now = driver.clock.now()
    lost = DiscussionRow(id="d", package_id="alice/none", title="t", activity="a", last_post_at=now, owner="alice")
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(lost)
    with pytest.raises(IntegrityError), driver.writing() as work:
        work.session.add(PostRow(discussion_id="d", number=1, author="alice", text="t", posted_at=now))


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM discussions WHERE package_id = 'a/b' ORDER BY activity DESC LIMIT 20",
        "SELECT * FROM discussions WHERE case_id IN ('a', 'b')",
        "SELECT count(*) FROM posts WHERE author = 'a' AND posted_at >= '2026-01-01'",
        "SELECT * FROM posts WHERE discussion_id = 'd' AND number > 4 ORDER BY number LIMIT 30",
        "SELECT account_id FROM discussion_watches WHERE discussion_id = 'd'",
    ],
)
def test_what_pages_and_mails_ask_is_found_by_an_index_and_comes_in_its_order(
    driver: ActionDriver, statement: str
) -> None:
    plan = driver.plan_of(statement)
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan
