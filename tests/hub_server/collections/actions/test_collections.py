"""Which collections stand on a package's page, and of which release an entry's rates are."""

from hub_server.collections import actions
from hub_server.kernel.caller import Caller
from schemas.collections import CollectionEntry, CollectionWrite
from tests.making.desk import Desk, caller
from tests.making.hub import run_jobs

ALICE = caller("alice")
PACKAGE = "alice/small-sums"


def write(desk: Desk, by: Caller, name: str, version: str | None = None) -> None:
    body = CollectionWrite(title=name, entries=[CollectionEntry(package=PACKAGE, version=version)])
    desk.do(by, actions.write_collection, by.name, name, body)


def test_a_flood_of_new_ones_displaces_neither_the_owners_nor_the_first(desk: Desk) -> None:
    for name in ("alice", "bob", "spam"):
        desk.person(name)
    desk.publish(ALICE)
    write(desk, caller("bob"), "first")
    for number in range(6):
        write(desk, caller("spam"), f"spam-{number}")
    write(desk, ALICE, "own")
    found = desk.ask(None, actions.list_collections_with, PACKAGE, 3)
    assert [one.id for one in found] == ["alice/own", "bob/first", "spam/spam-0"]
    assert [one.entry_count for one in found] == [1, 1, 1]


def test_the_rates_beside_a_pinned_release_are_its_own(desk: Desk) -> None:
    desk.person("alice")
    desk.publish(ALICE, version="1.0.0")
    run_jobs(desk.services)
    desk.publish(ALICE, version="1.1.0")
    write(desk, ALICE, "pinned", "1.0.0")
    write(desk, ALICE, "newer", "1.1.0")
    write(desk, ALICE, "latest")
    audits = {
        name: desk.ask(None, actions.get_collection, "alice", name).entries[0].audit
        for name in ("pinned", "newer", "latest")
    }
    assert {name: audit and audit.version for name, audit in audits.items()} == {
        "pinned": "1.0.0",
        "newer": None,  # not measured yet, so it has no rates
        "latest": "1.0.0",  # the card shows the nearest older ones
    }
