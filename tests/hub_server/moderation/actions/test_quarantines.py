"""A package that moderators stop is stopped: nothing is used, nothing added; and no state overwrites another."""

import itertools

import pytest

from hub_server.catalog import actions as catalog
from hub_server.catalog.actions import get_package, get_release, search_packages, usable_release
from hub_server.catalog.errors import QuarantinedError, ReleaseNotFoundError
from hub_server.catalog.rules.search_request import SearchRequest
from hub_server.errors import InvalidRequestError, NotAllowedError
from hub_server.moderation import actions
from hub_server.publishing import actions as publishing
from schemas.moderation import Suspension
from tests.making.action_driver import ActionDriver, caller, person

ALICE, MODA = caller("alice"), person("moda", is_moderator=True)
PACKAGE = "alice/small-sums"


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for name in ("alice", "moda"):
        driver.person(name)
    driver.publish(ALICE, version="1.0.0")
    driver.publish(ALICE, version="1.1.0")
    return driver


def listed(hub: ActionDriver) -> list[str]:
    return [card.id for card in hub.ask(None, search_packages, SearchRequest()).items]


def test_the_author_of_a_quarantined_package_publishes_no_next_version(hub: ActionDriver) -> None:
    hub.do(MODA, actions.quarantine_package, PACKAGE, "steals keys")
    with pytest.raises(QuarantinedError):
        hub.publish(ALICE, version="2.0.0")
    assert hub.rows("SELECT count(*) FROM releases") == [(2,)]
    with pytest.raises(ReleaseNotFoundError):
        hub.ask(None, get_release, PACKAGE, "latest")
    for version in ("1.0.0", "1.1.0"):
        with pytest.raises(QuarantinedError):
            hub.ask(ALICE, usable_release, PACKAGE, version)
    assert listed(hub) == []
    shown = hub.ask(None, get_package, PACKAGE)
    assert shown.quarantined_reason == "steals keys"
    assert {release.state_reason for release in shown.releases} == {"The whole package is quarantined: steals keys"}


def test_the_end_of_a_packages_quarantine_leaves_what_else_is_true_of_its_releases(hub: ActionDriver) -> None:
    hub.do(ALICE, publishing.yank_release, PACKAGE, "1.1.0", "wrong sums")
    hub.do(MODA, actions.quarantine_release, PACKAGE, "1.0.0", "steals keys")
    hub.do(MODA, actions.quarantine_package, PACKAGE, "all of it")
    hub.do(MODA, actions.unquarantine_package, PACKAGE, "not all of it")
    states = {release.version: release.state for release in hub.ask(None, get_package, PACKAGE).releases}
    assert states == {"1.0.0": "quarantined", "1.1.0": "yanked"}


FACTS = ("quarantined", "hidden", "package", "yanked")


@pytest.mark.parametrize("order", list(itertools.permutations(FACTS, 3)), ids="-".join)
def test_whatever_is_set_and_lifted_in_any_order_comes_out_as_it_went_in(
    hub: ActionDriver, order: tuple[str, ...]
) -> None:
    """Facts are lifted in the order in which they were set, so the first to go is not the last that came."""
    begin = {
        "quarantined": lambda: hub.do(MODA, actions.quarantine_release, PACKAGE, "1.1.0", "r"),
        "package": lambda: hub.do(MODA, actions.quarantine_package, PACKAGE, "p"),
        "hidden": lambda: hub.do(MODA, actions.suspend_account, "alice", Suspension(reason="h", hide_content=True)),
        "yanked": lambda: hub.do(MODA, _set_yanked, "y"),
    }
    end = {
        "quarantined": lambda: hub.do(MODA, actions.release_from_quarantine, PACKAGE, "1.1.0", "e"),
        "package": lambda: hub.do(MODA, actions.unquarantine_package, PACKAGE, "e"),
        "hidden": lambda: hub.do(MODA, actions.unsuspend_account, "alice", "e"),
        "yanked": lambda: hub.do(MODA, _set_yanked, None),
    }
    for name in order:
        begin[name]()
    for name in order:
        assert hub.ask(MODA, get_release, PACKAGE, "1.1.0").state != "active"
        end[name]()
    assert hub.ask(None, get_release, PACKAGE, "latest").version == "1.1.0"
    assert listed(hub) == [PACKAGE]


def _set_yanked(work, reason: str | None) -> None:
    catalog.set_fact(work, catalog.resolve_release(work, PACKAGE, "1.1.0"), "yanked", reason)


@pytest.mark.parametrize("act", [actions.quarantine_package, actions.unquarantine_package, actions.take_down_package])
def test_only_moderators_stop_a_package_and_they_say_why(hub: ActionDriver, act) -> None:
    with pytest.raises(NotAllowedError):
        hub.do(ALICE, act, PACKAGE, "mine")
    if act is not actions.unquarantine_package:
        with pytest.raises(InvalidRequestError):
            hub.do(MODA, act, PACKAGE, "  ")
    with pytest.raises(InvalidRequestError):
        hub.do(MODA, actions.unquarantine_package, PACKAGE, "it never was")
    assert hub.rows("SELECT count(*) FROM moderation_events") == [(0,)]
