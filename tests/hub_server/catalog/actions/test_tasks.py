"""A task by its id, from the files of a release; never from a split that code makes, never from a quarantined one."""

import pytest

from hub_server.catalog.actions import find_task, resolve_release, set_fact
from hub_server.catalog.errors import QuarantinedError, ReleaseNotFoundError, TaskNotFoundError
from tests.making.action_driver import ActionDriver, caller, person

PACKAGE = "alice/small-sums"
MANIFEST = (
    'format = 1\nid = "alice/small-sums"\nkind = "environment"\nverifier = "alice_small_sums:verify"\n'
    'tasks = { train = "tasks.jsonl", test = "more.jsonl", endless = "alice_small_sums:generate" }\n'
    '[rewards.correct]\ndescription = "x"\n'
)
MORE = '{"id": "only-here", "prompt": "3+4?", "answer": 7}\n{"id": "t1", "prompt": "another t1", "answer": 0}\n'


@pytest.fixture
def hub(driver: ActionDriver) -> ActionDriver:
    driver.publish(driver.person("alice"), manifest=MANIFEST, package_files={"more.jsonl": MORE})
    return driver


def test_a_task_comes_with_its_answer_from_whichever_file_holds_it(hub: ActionDriver) -> None:
    assert hub.ask(None, find_task, PACKAGE, "latest", "t2").answer == 5
    assert hub.ask(None, find_task, PACKAGE, "1.0.0", "only-here").answer == 7


def test_the_same_id_in_two_splits_is_told_apart_by_the_split(hub: ActionDriver) -> None:
    prompts = [hub.ask(None, find_task, PACKAGE, "1.0.0", "t1", split).prompt for split in ("train", "test", None)]
    assert prompts == ["1+1?", "another t1", "1+1?"]


@pytest.mark.parametrize(
    ("task_id", "split"),
    [("t9", None), ("", None), ("T1", None), ("only-here", "train"), ("t1", "none"), ("endless-0-1", None),
     ("endless-0-1", "endless"), ("\x00", None), ("x" * 10_000, None)],
)  # fmt: skip
def test_what_no_file_holds_is_not_found(hub: ActionDriver, task_id: str, split: str | None) -> None:
    with pytest.raises(TaskNotFoundError):
        hub.ask(None, find_task, PACKAGE, "1.0.0", task_id, split)


def test_neither_a_missing_nor_a_quarantined_release_gives_tasks(hub: ActionDriver) -> None:
    with pytest.raises(ReleaseNotFoundError):
        hub.ask(None, find_task, PACKAGE, "2.0.0", "t1")
    with hub.writing() as work:
        set_fact(work, resolve_release(work, PACKAGE, "1.0.0"), "quarantined", "steals")
    with pytest.raises(QuarantinedError):
        hub.ask(caller("alice"), find_task, PACKAGE, "1.0.0", "t1")
    assert hub.ask(person("moda", is_moderator=True), find_task, PACKAGE, "1.0.0", "t1").answer == 2
