"""Suspensions and blocked names as rows: each is set, changed and ended by itself."""

import pytest

from hub_server.accounts import actions
from hub_server.accounts.errors import AccountNotFoundError, AccountSuspendedError, NameBlockedError
from hub_server.errors import InvalidRequestError
from schemas.moderation import NameBlock
from tests.making.action_driver import ActionDriver


def test_a_suspension_ends_browsers_and_says_why(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.do(None, actions.suspend_account, "alice", "spam", hide_content=True)
    driver.do(None, actions.suspend_account, "alice", "worse", hide_content=False)  # the last word counts
    assert driver.rows("SELECT suspended_reason, hidden_reason FROM accounts") == [("worse", None)]
    assert driver.ask(None, actions.list_suspended) == [("alice", "worse")]
    with driver.reading() as work, pytest.raises(AccountSuspendedError, match="worse"):
        actions.suspensions.refuse_suspended(actions.get_any_account(work, "alice"))
    driver.do(None, actions.unsuspend_account, "alice")
    assert driver.ask(None, actions.list_suspended) == []
    with pytest.raises(InvalidRequestError):
        driver.do(None, actions.unsuspend_account, "alice")


@pytest.mark.parametrize("name", ["nobody", "", "\x00"])
def test_nobody_is_suspended_who_is_not_here(driver: ActionDriver, name: str) -> None:
    with pytest.raises(AccountNotFoundError):
        driver.do(None, actions.suspend_account, name, "spam", hide_content=False)


def test_a_block_is_changed_by_a_second_and_ends_once(driver: ActionDriver) -> None:
    for reason in ("one", "two"):
        driver.do(None, actions.block_name, NameBlock(name="mallory", reason=reason), "moda")
    assert [one.reason for one in driver.ask(None, actions.list_blocked)] == ["two"]
    with pytest.raises(NameBlockedError, match="two"):
        driver.ask(None, actions.check_not_blocked, "alice", "ma11ory")
    driver.ask(None, actions.check_not_blocked, "alice", "alice/mallory")
    driver.do(None, actions.unblock_name, "mallory")
    driver.ask(None, actions.check_not_blocked, "mallory")
    with pytest.raises(InvalidRequestError):
        driver.do(None, actions.unblock_name, "mallory")
