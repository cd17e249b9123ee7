"""What one account may write in a day."""

from dataclasses import replace

import pytest

from hub_server.discussions import actions
from hub_server.discussions.errors import TooManyPostsError
from hub_server.kernel.caller import Caller
from schemas.discussions import DiscussionCreate, PostWrite
from tests.making.action_driver import ActionDriver

PACKAGE = "alice/small-sums"


def begin(driver: ActionDriver, by: Caller, title: str = "A question") -> str:
    return driver.do(by, actions.open_discussion, PACKAGE, DiscussionCreate(title=title, text="Words.")).id


@pytest.fixture
def alice(driver: ActionDriver) -> Caller:
    alice = driver.person("alice")
    driver.publish(alice, PACKAGE)
    return alice


def test_an_account_writes_so_much_in_a_day_whatever_it_deletes(driver: ActionDriver, alice: Caller) -> None:
    limits = driver.services.settings.limits.model_copy(update={"discussions_per_day": 2, "posts_per_day": 4})
    driver.services = replace(driver.services, settings=driver.services.settings.model_copy(update={"limits": limits}))
    first, second = begin(driver, alice, "First"), begin(driver, alice, "Second")
    driver.do(alice, actions.delete_post, PACKAGE, second, 1)
    with pytest.raises(TooManyPostsError, match="2 discussions in 24 hours"):
        begin(driver, alice, "Third")
    for number in range(2):
        driver.do(alice, actions.reply, PACKAGE, first, PostWrite(text=f"Reply {number}."))
    with pytest.raises(TooManyPostsError, match="4 posts in 24 hours"):
        driver.do(alice, actions.reply, PACKAGE, first, PostWrite(text="One more."))
    bob = driver.person("bob")
    driver.do(bob, actions.reply, PACKAGE, first, PostWrite(text="Another account's day is its own."))
    driver.clock.advance(86_401)
    begin(driver, alice, "Tomorrow")
