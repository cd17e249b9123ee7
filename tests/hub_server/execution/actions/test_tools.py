"""Tools for a client: whose they are, who may connect, and which task a session behind them plays."""

from dataclasses import replace

import pytest

from hub_server.catalog.actions import get_release
from hub_server.catalog.errors import QuarantinedError, TaskNotFoundError
from hub_server.errors import NotAllowedError, NotAuthenticatedError
from hub_server.execution.actions.tools import has_tools, served_tools, with_first_task
from hub_server.execution.errors import NothingToExecuteError
from hub_server.moderation.actions import quarantine_release
from tests.hub_server.execution.played import ALICE, BOB, MODA, SUMS, narrow
from tests.making.action_driver import ActionDriver

PAIR = 'format = 1\nid = "alice/pair"\nkind = "tool"\ntools = ["alice_pair:look", "alice/look@1.0.0"]\n'
ONLY_FOREIGN = 'format = 1\nid = "alice/names"\nkind = "tool"\ntools = ["alice/look@1.0.0"]\n'
TASKLESS = 'format = 1\nid = "alice/taskless"\nkind = "tool"\ntools = ["alice_taskless:look"]\nsession = "alice_taskless:Session"\n'


@pytest.mark.parametrize(("by", "error"), [(None, NotAuthenticatedError), (narrow("bob"), NotAllowedError)])
def test_a_connection_holds_a_box_so_it_needs_an_account(playable: ActionDriver, by, error) -> None:
    with pytest.raises(error):
        playable.ask(by, served_tools, "alice/look")


def test_a_connection_is_its_callers_own(playable: ActionDriver) -> None:
    tools, stream = playable.ask(BOB, served_tools, "alice/look")
    assert (tools.package, tools.caller, tools.is_stateful, stream) == ("alice/look", BOB.account_id, False, None)
    assert [one.package for one in tools.releases] == ["alice/look"]


@pytest.mark.parametrize(
    ("name", "manifest", "served"),
    [("alice/pair", PAIR, ["alice/pair", "alice/look"]), ("alice/names", ONLY_FOREIGN, ["alice/look"])],
)
def test_the_packages_that_it_names_are_served_with_it(
    playable: ActionDriver, name: str, manifest: str, served
) -> None:
    playable.publish(ALICE, name, manifest=manifest)
    tools, _ = playable.ask(BOB, served_tools, name)
    assert [one.package for one in tools.releases] == served


def test_what_has_no_tools_is_refused(playable: ActionDriver) -> None:
    with pytest.raises(NothingToExecuteError, match="no tools"):
        playable.ask(BOB, served_tools, "alice/borrows")


def test_a_tool_that_was_quarantined_is_served_by_nobody_who_names_it(playable: ActionDriver) -> None:
    playable.publish(ALICE, "alice/pair", manifest=PAIR)
    playable.do(MODA, quarantine_release, "alice/look", "1.0.0", "steals")
    for package in ("alice/pair", "alice/look"):
        with pytest.raises(QuarantinedError):
            playable.ask(BOB, served_tools, package, "1.0.0")


def test_a_session_plays_the_task_that_was_asked_for_with_its_answer(playable: ActionDriver) -> None:
    tools, stream = playable.ask(BOB, served_tools, SUMS, task_id="t2", seed=5)
    assert tools.task is not None
    assert (tools.task["answer"], tools.seed, tools.is_stateful, stream) == (5, 5, True, None)
    with pytest.raises(TaskNotFoundError):
        playable.ask(BOB, served_tools, SUMS, task_id="t9")


def test_unless_told_it_plays_the_first_task_of_the_first_split(playable: ActionDriver) -> None:
    tools, stream = playable.ask(BOB, served_tools, SUMS)
    assert tools.task is None
    assert stream is not None
    whole = with_first_task(playable.services, tools, stream)
    assert whole.task is not None
    assert (whole.task["id"], whole.task["answer"]) == ("t1", 2)


def test_a_session_without_any_task_is_refused_in_words(playable: ActionDriver) -> None:
    """A tool package may bring a session and no tasks: connecting to it was a fault of the hub."""
    playable.publish(ALICE, "alice/taskless", manifest=TASKLESS)
    with pytest.raises(NothingToExecuteError, match="no tasks"):
        playable.ask(BOB, served_tools, "alice/taskless")


def test_a_stream_without_a_task_is_refused_by_its_split(playable: ActionDriver) -> None:
    tools, stream = playable.ask(BOB, served_tools, SUMS)
    assert stream is not None
    with pytest.raises(NothingToExecuteError, match="'train'"):
        with_first_task(playable.services, tools, replace(stream, start=9))


def test_which_packages_a_client_could_connect_to(playable: ActionDriver) -> None:
    found = {
        name: has_tools(playable.ask(None, get_release, name).manifest)
        for name in (SUMS, "alice/look", "alice/borrows")
    }
    assert found == {SUMS: True, "alice/look": True, "alice/borrows": False}
