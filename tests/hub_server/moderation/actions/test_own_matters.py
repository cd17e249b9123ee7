"""A moderator lifts nothing that another one stopped of what is theirs; what they stopped themselves they may."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from hub_server.collections.actions import write_collection
from hub_server.discussions.actions import open_discussion
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import Caller, operator
from hub_server.moderation import actions
from schemas.collections import CollectionWrite
from schemas.discussions import DiscussionCreate
from schemas.moderation import Suspension
from tests.making.action_driver import ActionDriver, caller, person

MODA, MODB = person("moda", is_moderator=True), person("modb", is_moderator=True)
Act = Callable[[ActionDriver, Caller], object]


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for name in ("alice", "moda", "modb"):
        driver.person(name)
    driver.organization("lab", moda="member", alice="owner")
    driver.publish(MODA, "moda/judge")
    driver.publish(
        replace(caller("alice"), organizations=frozenset({"lab"}), maintained=frozenset({"lab"})), "lab/judge"
    )
    return driver


def act(action: Callable[..., object], *rest: object) -> Act:
    return lambda hub, by: hub.do(by, action, *rest)


def release(package: str) -> tuple[Act, Act]:
    return (
        act(actions.quarantine_release, package, "1.0.0", "harmful"),
        act(actions.release_from_quarantine, package, "1.0.0", "it is not"),
    )


def package(name: str) -> tuple[Act, Act]:
    return act(actions.quarantine_package, name, "harmful"), act(actions.unquarantine_package, name, "it is not")


STOPS = {
    "a release": release("moda/judge"),
    "a release of an organisation": release("lab/judge"),
    "a package": package("moda/judge"),
    "a package of an organisation": package("lab/judge"),
    "an organisation": (
        act(actions.suspend_account, "lab", Suspension(reason="harmful", hide_content=True)),
        act(actions.unsuspend_account, "lab", "it is not"),
    ),
    "what an organisation says": (
        act(actions.hide_profile, "lab", "a lie"),
        act(actions.show_profile, "lab", "it is not"),
    ),
}


@pytest.mark.parametrize("what", STOPS)
def test_what_another_stopped_is_lifted_by_another(hub: ActionDriver, what: str) -> None:
    stop, lift = STOPS[what]
    stop(hub, MODB)
    with pytest.raises(NotAllowedError, match="another moderator lifts it"):
        lift(hub, MODA)
    lift(hub, MODB)


@pytest.mark.parametrize("what", STOPS)
def test_what_one_stopped_oneself_one_lifts(hub: ActionDriver, what: str) -> None:
    stop, lift = STOPS[what]
    for by in (MODB, MODA):
        stop(hub, by)
        hub.clock.advance(1)
        lift(hub, by)
        hub.clock.advance(1)


@pytest.mark.parametrize("what", ["a release", "a package"])
def test_to_stop_it_once_more_does_not_make_it_ones_own_act(hub: ActionDriver, what: str) -> None:
    stop, lift = STOPS[what]
    for by in (MODB, MODA):
        stop(hub, by)
        hub.clock.advance(1)
    with pytest.raises(NotAllowedError):
        lift(hub, MODA)
    lift(hub, operator())


def test_a_post_and_a_collection_too(hub: ActionDriver) -> None:
    begun = hub.do(MODA, open_discussion, "lab/judge", DiscussionCreate(title="Buy", text="watches"))
    hub.do(MODB, actions.hide_post, "lab/judge", begun.id, 1, "an advert")
    hub.do(MODA, write_collection, "moda", "ones", CollectionWrite(title="Ones", visibility="public"))
    hub.do(MODB, actions.hide_collection, "moda", "ones", "a lie")
    for action, rest in (
        (actions.show_post, ("lab/judge", begun.id, 1, "it is not")),
        (actions.show_collection, ("moda", "ones", "it is not")),
    ):
        with pytest.raises(NotAllowedError):
            hub.do(MODA, action, *rest)
        hub.do(MODB, action, *rest)
