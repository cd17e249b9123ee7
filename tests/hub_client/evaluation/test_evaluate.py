"""The attempts of an evaluation on disk: kept as they end, and never read as something else."""

import json

import pytest

from hub_client.errors import CheckFailedError, ConflictError
from hub_client.evaluation.evaluate import AttemptLog


class Cell:
    key = "cell"


ATTEMPT = {"messages": [{"role": "assistant", "content": "a\u2028b\u0085c"}], "state": None, "error": ""}


def test_an_attempt_is_found_again_by_the_next_command(tmp_path) -> None:
    AttemptLog(tmp_path, {"model": "m"}).add(Cell, "t1", 0, ATTEMPT)
    found = AttemptLog(tmp_path, {"model": "m"}).find(Cell, "t1", 0)
    assert found["messages"] == ATTEMPT["messages"]
    assert AttemptLog(tmp_path, {"model": "m"}).find(Cell, "t1", 1) is None


def test_a_line_that_a_crash_has_cut_is_tried_again(tmp_path) -> None:
    log = AttemptLog(tmp_path, {})
    log.add(Cell, "t1", 0, ATTEMPT)
    with (tmp_path / "attempts.jsonl").open("a") as file:
        file.write('{"cell": "cell", "task')
    again = AttemptLog(tmp_path, {})
    again.add(Cell, "t2", 0, ATTEMPT)
    lines = (tmp_path / "attempts.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line)["task_id"] for line in lines if line] == ["t1", "t2"]


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"cell": "x"}', "null", "7"])
def test_a_line_that_is_no_attempt_is_named(tmp_path, line) -> None:
    AttemptLog(tmp_path, {}).add(Cell, "t1", 0, ATTEMPT)
    with (tmp_path / "attempts.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(CheckFailedError, match="line 2 is no attempt"):
        AttemptLog(tmp_path, {})


def test_other_settings_are_another_evaluation(tmp_path) -> None:
    AttemptLog(tmp_path, {"model": "m", "temperature": 0.0})
    with pytest.raises(ConflictError, match=r"temperature 0\.0, not 0\.7"):
        AttemptLog(tmp_path, {"model": "m", "temperature": 0.7})
