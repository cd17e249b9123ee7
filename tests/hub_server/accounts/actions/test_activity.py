"""What an account changed is for its person and the operator to see."""

from dataclasses import replace

import pytest

from hub_server.accounts.actions import list_activity, list_own_activity
from hub_server.database import activity
from hub_server.errors import InvalidRequestError, NotAllowedError, NotAuthenticatedError, PasswordNeededError
from hub_server.kernel.caller import Caller, operator
from tests.making.action_driver import ActionDriver, person


@pytest.fixture
def people(driver: ActionDriver) -> tuple[Caller, Caller]:
    alice, bob = driver.person("alice"), driver.person("bob")
    for who, act in ((alice, "one"), (bob, "two"), (alice, "three")):
        with driver.services.database.writing() as session:
            activity.note(session, driver.clock.now(), who.account_id, act, by="token")
        driver.clock.advance(1)
    return alice, bob


def test_a_person_sees_their_own_in_pages(driver: ActionDriver, people: tuple[Caller, Caller]) -> None:
    alice, _ = people
    page = driver.ask(person(alice.name), list_own_activity, limit=1)
    assert [(one.account, one.act, one.by) for one in page.items] == [("alice", "three", "token")]
    rest = driver.ask(person(alice.name), list_own_activity, cursor=page.next)
    assert "one" in [one.act for one in rest.items]
    assert "two" not in [one.act for one in rest.items]


def test_the_operator_alone_sees_everybodys(driver: ActionDriver, people: tuple[Caller, Caller]) -> None:
    _, bob = people
    assert [one.act for one in driver.ask(operator(), list_activity).items][:3] == ["three", "two", "one"]
    mine = driver.ask(operator(), list_activity, account_id=bob.account_id).items
    assert {one.account for one in mine} == {"bob"}
    with pytest.raises(NotAllowedError):
        driver.ask(person(bob.name), list_activity)


def test_neither_a_token_nor_nobody_sees_any(driver: ActionDriver, people: tuple[Caller, Caller]) -> None:
    alice, _ = people
    with pytest.raises(PasswordNeededError):
        driver.ask(replace(alice, by_session=False), list_own_activity)
    with pytest.raises(NotAuthenticatedError):
        driver.ask(None, list_own_activity)
    with pytest.raises(InvalidRequestError):
        driver.ask(person(alice.name), list_own_activity, cursor="made up")
