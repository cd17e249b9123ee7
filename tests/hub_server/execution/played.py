"""Packages to execute: a session, tools, a generated split, a borrowed verifier."""

from hub_server.kernel.caller import Caller
from tests.making.action_driver import ActionDriver, caller, person

ALICE, BOB, MODA = caller("alice"), caller("bob"), person("moda", is_moderator=True)
SUMS = "alice/small-sums"
REWARDS = '[rewards.correct]\ndescription = "right"\n'
WITH_ALL = (
    'format = 1\nid = "alice/small-sums"\nkind = "environment"\nverifier = "alice_small_sums:verify"\n'
    'session = "alice_small_sums:Session"\ntools = ["alice_small_sums:look"]\n'
    'tasks = { train = "tasks.jsonl", endless = "alice_small_sums:generate" }\n' + REWARDS
)


def borrowing(name: str, reference: str) -> str:
    """An environment that is judged by another package's verifier."""
    return (
        f'format = 1\nid = "{name}"\nkind = "environment"\ntasks = {{ train = "tasks.jsonl" }}\n'
        f'verifier = "{reference}"\n'
    )


def publish_all(driver: ActionDriver) -> ActionDriver:
    """alice/small-sums (session, tools, a generated split), alice/borrows (its verifier), alice/look (a tool)."""
    driver.person("alice")
    driver.person("bob")
    driver.publish(ALICE, manifest=WITH_ALL)
    driver.publish(ALICE, "alice/borrows", manifest=borrowing("alice/borrows", f"{SUMS}@1.0.0"))
    tool = 'format = 1\nid = "alice/look"\nkind = "tool"\ntools = ["alice_look:look"]\n'
    driver.publish(ALICE, "alice/look", manifest=tool)
    return driver


def narrow(name: str) -> Caller:
    """A token without the scope ``read``."""
    return caller(name, scopes=frozenset())
