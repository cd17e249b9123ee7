"""The attempts of an evaluation on disk: kept as they end, and never read as something else."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hub_client.errors import CheckFailedError, ConflictError, NotLoggedInError
from hub_client.evaluation.attempt_log import AttemptLog
from tests.sandbox.guest.forked import in_child

CELL = "cell"
ATTEMPT = {"messages": [{"role": "assistant", "content": "a\u2028b\u0085c"}], "state": None, "error": ""}


def test_an_attempt_is_found_again_by_the_next_command(tmp_path) -> None:
    AttemptLog(tmp_path, {"model": "m"}).add(CELL, "t1", 0, ATTEMPT)
    found = AttemptLog(tmp_path, {"model": "m"}).find(CELL, "t1", 0)
    assert found["messages"] == ATTEMPT["messages"]
    assert AttemptLog(tmp_path, {"model": "m"}).find(CELL, "t1", 1) is None


def test_a_line_that_a_crash_has_cut_is_tried_again(tmp_path) -> None:
    log = AttemptLog(tmp_path, {})
    log.add(CELL, "t1", 0, ATTEMPT)
    with (tmp_path / "attempts.jsonl").open("a") as file:
        file.write('{"cell": "cell", "task')
    again = AttemptLog(tmp_path, {})
    again.add(CELL, "t2", 0, ATTEMPT)
    lines = (tmp_path / "attempts.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line)["task_id"] for line in lines if line] == ["t1", "t2"]


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"cell": "x"}', "null", "7"])
def test_a_line_that_is_no_attempt_is_named(tmp_path, line) -> None:
    AttemptLog(tmp_path, {}).add(CELL, "t1", 0, ATTEMPT)
    with (tmp_path / "attempts.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(CheckFailedError, match="line 2 is no attempt"):
        AttemptLog(tmp_path, {})


def test_other_settings_are_another_evaluation(tmp_path) -> None:
    AttemptLog(tmp_path, {"model": "m", "temperature": 0.0}).add(CELL, "t1", 0, ATTEMPT)
    with pytest.raises(ConflictError, match=r"temperature 0\.0, not 0\.7"):
        AttemptLog(tmp_path, {"model": "m", "temperature": 0.7})


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "null"])
def test_damaged_settings_are_named_and_nothing_is_written_over(tmp_path, text) -> None:
    (tmp_path / "evaluation.json").write_text(text)
    with pytest.raises(CheckFailedError, match=r"evaluation\.json is damaged"):
        AttemptLog(tmp_path, {"model": "m"})
    assert (tmp_path / "evaluation.json").read_text() == text


def test_nothing_is_written_before_the_first_attempt_and_nothing_where_that_must_not_be(tmp_path) -> None:
    def refuse() -> None:
        raise NotLoggedInError("no token")

    log = AttemptLog(tmp_path / "new/out", {"model": "m"}, refuse)
    with pytest.raises(NotLoggedInError):
        log.add(CELL, "t1", 0, ATTEMPT)
    assert ((tmp_path / "new").exists(), log.find(CELL, "t1", 0)) == (False, None)


def test_what_precedes_the_first_attempt_is_done_once(tmp_path) -> None:
    done = []
    log = AttemptLog(tmp_path / "out", {"model": "m"}, lambda: done.append(1))
    log.add(CELL, "t1", 0, ATTEMPT)
    log.add(CELL, "t2", 0, ATTEMPT)
    assert done == [1]
    assert json.loads((tmp_path / "out/evaluation.json").read_text()) == {"model": "m"}


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """As on a disk that is full behind so many bytes: a write is cut there, and the next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)  # of the whole process: only in a child
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_an_attempt_leaves_no_part_of_a_line_to_which_the_next_would_be_added(tmp_path) -> None:
    """Else the two are one line that is no attempt, and whoever goes on must find and remove it."""
    log = AttemptLog(tmp_path, {})
    log.add(CELL, "t1", 0, ATTEMPT)
    whole = (tmp_path / "attempts.jsonl").stat().st_size

    def body() -> None:
        with no_file_larger_than(whole + 20), pytest.raises(OSError, match="large"):
            log.add(CELL, "t2", 0, ATTEMPT)
        assert log.find(CELL, "t2", 0) is None
        assert (tmp_path / "attempts.jsonl").stat().st_size == whole
        log.add(CELL, "t3", 0, ATTEMPT)

    in_child(body)
    again = AttemptLog(tmp_path, {})
    assert [again.find(CELL, task, 0) is not None for task in ("t1", "t2", "t3")] == [True, False, True]
