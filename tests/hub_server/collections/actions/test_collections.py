"""Which collections stand on a package's page, and of which release an entry's rates are."""

from hub_server.collections import actions
from hub_server.kernel.caller import Caller
from schemas.collections import CollectionEntry, CollectionWrite
from tests.making.action_driver import ActionDriver, caller
from tests.making.hub import run_jobs

ALICE = caller("alice")
PACKAGE = "alice/small-sums"


def write(driver: ActionDriver, by: Caller, name: str, version: str | None = None) -> None:
    body = CollectionWrite(title=name, entries=[CollectionEntry(package=PACKAGE, version=version)])
    driver.do(by, actions.write_collection, by.name, name, body)


def test_a_flood_of_new_ones_displaces_neither_the_owners_nor_the_first(driver: ActionDriver) -> None:
    for name in ("alice", "bob", "spam"):
        driver.person(name)
    driver.publish(ALICE)
    write(driver, caller("bob"), "first")
    for number in range(6):
        write(driver, caller("spam"), f"spam-{number}")
    write(driver, ALICE, "own")
    found = driver.ask(None, actions.list_collections_with, PACKAGE, "alice", 3)
    assert [one.id for one in found] == ["alice/own", "bob/first", "spam/spam-0"]
    assert [one.entry_count for one in found] == [1, 1, 1]


def test_the_rates_beside_a_pinned_release_are_its_own(driver: ActionDriver) -> None:
    driver.person("alice")
    driver.publish(ALICE, version="1.0.0")
    run_jobs(driver.services)
    driver.publish(ALICE, version="1.1.0")
    write(driver, ALICE, "pinned", "1.0.0")
    write(driver, ALICE, "newer", "1.1.0")
    write(driver, ALICE, "latest")
    audits = {
        name: driver.ask(None, actions.get_collection, "alice", name).entries[0].audit
        for name in ("pinned", "newer", "latest")
    }
    assert {name: audit and audit.version for name, audit in audits.items()} == {
        "pinned": "1.0.0",
        "newer": None,  # not measured yet, so it has no rates
        "latest": "1.0.0",  # the card shows the nearest older ones
    }
