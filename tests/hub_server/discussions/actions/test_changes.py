"""What one account may write in a day."""

from dataclasses import replace

import pytest

from hub_server.discussions import actions
from hub_server.discussions.errors import TooManyPostsError
from hub_server.kernel.caller import Caller
from schemas.discussions import DiscussionCreate, PostWrite
from tests.making.desk import Desk

PACKAGE = "alice/small-sums"


def begin(desk: Desk, by: Caller, title: str = "A question") -> str:
    return desk.do(by, actions.open_discussion, PACKAGE, DiscussionCreate(title=title, text="Words.")).id


@pytest.fixture
def alice(desk: Desk) -> Caller:
    alice = desk.person("alice")
    desk.publish(alice, PACKAGE)
    return alice


def test_an_account_writes_so_much_in_a_day_whatever_it_deletes(desk: Desk, alice: Caller) -> None:
    limits = desk.services.settings.limits.model_copy(update={"discussions_per_day": 2, "posts_per_day": 4})
    desk.services = replace(desk.services, settings=desk.services.settings.model_copy(update={"limits": limits}))
    first, second = begin(desk, alice, "First"), begin(desk, alice, "Second")
    desk.do(alice, actions.delete_post, PACKAGE, second, 1)
    with pytest.raises(TooManyPostsError, match="2 discussions in 24 hours"):
        begin(desk, alice, "Third")
    for number in range(2):
        desk.do(alice, actions.reply, PACKAGE, first, PostWrite(text=f"Reply {number}."))
    with pytest.raises(TooManyPostsError, match="4 posts in 24 hours"):
        desk.do(alice, actions.reply, PACKAGE, first, PostWrite(text="One more."))
    bob = desk.person("bob")
    desk.do(bob, actions.reply, PACKAGE, first, PostWrite(text="Another account's day is its own."))
    desk.clock.advance(86_401)
    begin(desk, alice, "Tomorrow")
