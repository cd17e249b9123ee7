"""What a token may write, and that a refused change leaves the collection as it was."""

import pytest

from hub_server.catalog.errors import PackageNotFoundError, WithheldError
from hub_server.collections import actions
from hub_server.errors import NotAllowedError
from hub_server.moderation import actions as moderation
from schemas.account import Scope
from schemas.collections import CollectionEntry, CollectionWrite
from tests.making.action_driver import ActionDriver, caller, person

ALICE, MODA = caller("alice"), person("moda", is_moderator=True)
SUMS = CollectionWrite(title="Sums", entries=[CollectionEntry(package="alice/small-sums")])


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    for name in ("alice", "moda"):
        driver.person(name)
    driver.publish(ALICE, version="1.0.0")
    return driver


@pytest.mark.parametrize(
    "by",
    [
        caller("alice", only_package="alice/small-sums"),
        caller("alice", only_package="alice/sums"),
        caller("alice", scopes=frozenset({Scope.RUNS})),
        caller("alice", must_confirm_email=True),
    ],
)
def test_a_token_for_something_else_writes_none(hub: ActionDriver, by) -> None:
    """A workflow's token is for one package; a collection of that package's name is still no package."""
    with pytest.raises(NotAllowedError):
        hub.do(by, actions.write_collection, "alice", "sums", SUMS)
    hub.do(ALICE, actions.write_collection, "alice", "sums", SUMS)
    with pytest.raises(NotAllowedError):
        hub.do(by, actions.delete_collection, "alice", "sums")


def test_a_refused_change_leaves_every_entry(hub: ActionDriver) -> None:
    hub.do(ALICE, actions.write_collection, "alice", "sums", SUMS)
    more = [*SUMS.entries, CollectionEntry(package="alice/none")]
    with pytest.raises(PackageNotFoundError):
        hub.do(
            ALICE, actions.write_collection, "alice", "sums", SUMS.model_copy(update={"entries": more, "title": "x"})
        )
    found = hub.ask(None, actions.get_collection, "alice", "sums")
    assert (found.title, found.revision, len(found.entries)) == ("Sums", 1, 1)


def test_what_was_taken_down_is_named_without_a_word_of_it_and_must_go_at_the_next_change(hub: ActionDriver) -> None:
    hub.do(ALICE, actions.write_collection, "alice", "sums", SUMS)
    hub.do(MODA, moderation.take_down_package, "alice/small-sums", "private data")
    [entry] = hub.ask(None, actions.get_collection, "alice", "sums").entries
    assert (entry.package, entry.card, entry.audit) == ("alice/small-sums", None, None)
    with pytest.raises(WithheldError, match="alice/small-sums was taken down"):
        hub.do(ALICE, actions.write_collection, "alice", "sums", SUMS)
    hub.do(ALICE, actions.write_collection, "alice", "sums", CollectionWrite(title="Sums"))
