"""Packages to execute: a session, tools, a generated split, a borrowed verifier."""

from hub_server.kernel.caller import Caller
from tests.making.desk import Desk, caller, person

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


def publish_all(desk: Desk) -> Desk:
    """alice/small-sums (session, tools, a generated split), alice/borrows (its verifier), alice/look (a tool)."""
    desk.person("alice")
    desk.person("bob")
    desk.publish(ALICE, manifest=WITH_ALL)
    desk.publish(ALICE, "alice/borrows", manifest=borrowing("alice/borrows", f"{SUMS}@1.0.0"))
    tool = 'format = 1\nid = "alice/look"\nkind = "tool"\ntools = ["alice_look:look"]\n'
    desk.publish(ALICE, "alice/look", manifest=tool)
    return desk


def narrow(name: str) -> Caller:
    """A token without the scope ``read``."""
    return caller(name, scopes=frozenset())
