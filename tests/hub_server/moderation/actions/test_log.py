"""The log: who may write a line, who reads which."""

import pytest

from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.kernel.caller import operator
from hub_server.moderation.actions.log import list_events, note_act, require_reason
from tests.making.action_driver import ActionDriver, caller, person

MODA = person("moda", is_moderator=True)


def test_a_line_is_a_moderators_or_the_operators_alone(driver: ActionDriver) -> None:
    for by in (MODA, operator()):
        driver.do(by, note_act, "suspend", "spam", account="alice")
    with pytest.raises(NotAllowedError):
        driver.do(caller("bob"), note_act, "suspend", "spam", account="alice")
    assert [event.actor for event in driver.ask(None, list_events).items] == ["operator", "moda"]


def test_pages_of_the_log_follow_one_another_for_one_account(driver: ActionDriver) -> None:
    for number in range(5):
        driver.do(MODA, note_act, "suspend", str(number), account="alice" if number % 2 == 0 else "bob")
    first = driver.ask(None, list_events, account="alice", limit=2)
    rest = driver.ask(None, list_events, account="alice", limit=2, cursor=first.next)
    assert [event.reason for event in (*first.items, *rest.items)] == ["4", "2", "0"]
    assert rest.next is None


def test_a_reason_is_words() -> None:
    assert require_reason(" spam ", "A suspension") == "spam"
    with pytest.raises(InvalidRequestError, match="A suspension needs a reason"):
        require_reason(" \n", "A suspension")
