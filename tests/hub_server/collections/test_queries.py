"""How many statements a list costs, whatever its length."""

from hub_server.collections import actions
from schemas.collections import CollectionEntry, CollectionWrite
from tests.making.action_driver import ActionDriver, caller

ALICE = caller("alice")


def test_a_page_costs_as_many_statements_for_twenty_entries_as_for_one(driver: ActionDriver) -> None:
    driver.person("alice")
    names = [f"alice/p{number}" for number in range(12)]
    for name in names:
        driver.publish(ALICE, name)
    counts = []
    for amount in (1, 12):
        entries = [CollectionEntry(package=name) for name in names[:amount]]
        driver.do(ALICE, actions.write_collection, "alice", f"c{amount}", CollectionWrite(title="t", entries=entries))
        with driver.statements() as seen:
            driver.ask(None, actions.get_collection, "alice", f"c{amount}")
        counts.append(len(seen))
    assert counts[0] == counts[1]
