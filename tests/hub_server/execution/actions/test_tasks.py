"""Tasks as a stream: answers for accounts, generated ones in bounded batches, any number asked for."""

import sys

import pytest

from hub_server.catalog.errors import TaskNotFoundError
from hub_server.errors import ExecutionUnavailableError, InvalidRequestError, NotAllowedError, NotAuthenticatedError
from hub_server.execution.actions.tasks import GENERATED_AT_MOST, GENERATED_AT_ONCE, read_lines, read_tasks, task_stream
from hub_server.web.streams import json_line
from tests.hub_server.execution.played import BOB, SUMS, narrow
from tests.making.action_driver import ActionDriver


def read(driver: ActionDriver, by=None, **asked):
    stream = driver.ask(by, task_stream, SUMS, "1.0.0", **{"split": "train", **asked})
    return list(read_tasks(driver.services, stream))


@pytest.mark.parametrize(
    ("asked", "ids"),
    [({}, ["t1", "t2"]), ({"start": 1}, ["t2"]), ({"limit": 1}, ["t1"]), ({"start": 2}, []), ({"start": 1, "limit": 9}, ["t2"]),
     ({"start": sys.maxsize + 5}, []), ({"limit": 10**40}, ["t1", "t2"]), ({"start": 10**40, "limit": 10**40}, [])],
)  # fmt: skip
def test_a_file_is_read_from_where_to_where_one_asks(playable: ActionDriver, asked, ids: list[str]) -> None:
    assert [task.id for task in read(playable, **asked)] == ids


@pytest.mark.parametrize("asked", [{"start": -1}, {"limit": 0}, {"limit": -5}])
def test_what_is_before_the_beginning_is_refused(playable: ActionDriver, asked) -> None:
    with pytest.raises(InvalidRequestError):
        read(playable, **asked)


def test_a_split_that_is_not_there_is_refused_with_those_that_are(playable: ActionDriver) -> None:
    for split in ("", "Train", "none", "\x00"):
        with pytest.raises(TaskNotFoundError, match="train, endless"):
            read(playable, split=split)


@pytest.mark.parametrize(("by", "error"), [(None, NotAuthenticatedError), (narrow("bob"), NotAllowedError)])
def test_answers_are_for_accounts(playable: ActionDriver, by, error) -> None:
    with pytest.raises(error):
        read(playable, by, answers=True)
    assert [task.answer for task in read(playable, by)] == [None, None]
    assert [task.answer for task in read(playable, BOB, answers=True)] == [2, 5]


@pytest.mark.parametrize("asked", [{}, {"answers": True}, {"split": "endless", "limit": 2}])
def test_lines_are_the_tasks(playable: ActionDriver, asked) -> None:
    lines = read_lines(playable.services, playable.ask(BOB, task_stream, SUMS, "1.0.0", **{"split": "train", **asked}))
    assert [json_line(line) for line in lines] == [json_line(task) for task in read(playable, BOB, **asked)]


def test_generated_tasks_hide_their_answers_too(playable: ActionDriver) -> None:
    hidden = read(playable, split="endless", limit=2, seed=3)
    assert [(task.id, task.answer, task.split) for task in hidden] == [
        ("endless-3-0", None, "endless"), ("endless-3-1", None, "endless"),
    ]  # fmt: skip
    assert [task.answer for task in read(playable, BOB, split="endless", limit=2, seed=3, answers=True)] == [3, 4]


@pytest.mark.parametrize(
    ("limit", "count"),
    [(None, GENERATED_AT_ONCE), (1, 1), (GENERATED_AT_ONCE + 1, GENERATED_AT_ONCE + 1), (10**30, GENERATED_AT_MOST)],
)
def test_a_generator_is_asked_for_a_bounded_number_in_bounded_batches(
    playable: ActionDriver, limit, count: int
) -> None:
    batches: list[tuple[int, int]] = []
    real = playable.executor.tasks

    def counted(release, split: str, *, start: int, count: int, seed: int):
        batches.append((start, count))
        return real(release, split, start=start, count=count, seed=seed)

    playable.executor.tasks = counted
    found = read(playable, split="endless", start=7, limit=limit)
    assert len(found) == count
    assert len({task.id for task in found}) == count
    assert max(size for _, size in batches) <= GENERATED_AT_ONCE
    assert [start for start, _ in batches] == list(range(7, 7 + count, GENERATED_AT_ONCE))


def test_a_generator_that_ends_early_ends_the_stream(playable: ActionDriver) -> None:
    playable.executor.tasks = lambda *_rest, start, count, seed: (
        [{"id": f"e{start}", "prompt": "?"}] if start < 100 else []
    )
    assert len(read(playable, split="endless", limit=500)) == 1


def test_tasks_are_made_only_as_they_are_read(playable: ActionDriver) -> None:
    playable.executor.reason = "no engine"
    with pytest.raises(ExecutionUnavailableError):
        read(playable, split="endless")
    assert read(playable), "a file needs no box"
