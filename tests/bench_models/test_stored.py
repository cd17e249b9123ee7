"""What models answered is kept apart from digests, and laid out again for whichever releases a hub has."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hub_client.evaluation.attempt_log import AttemptLog
from scripts.bench_models import stored
from scripts.bench_models.entries import ENTRIES
from tests.collection.conftest import COLLECTION

ENTRY = next(entry for entry in ENTRIES if entry.answer is None)
PLACE = ("a/env", "a/loop")


@dataclass
class OneCell:
    """What is used of a cell."""

    key: str
    tasks: dict[str, dict[str, Any]]

    def wanted(self):
        return [(task_id, 0) for task_id in self.tasks]


def cell_of(digest: str, **prompts: str) -> OneCell:
    return OneCell(digest, {name: {"id": name, "prompt": prompt} for name, prompt in prompts.items()})


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    cell = cell_of("sha256:old", one="1?", two="2?")
    log = AttemptLog(tmp_path / "old", stored.settings(ENTRY))
    for task_id in cell.tasks:
        said = [{"role": "user", "content": "?"}, {"role": "assistant", "content": f"said to {task_id}"}]
        log.add(cell.key, task_id, 0, {"messages": said, "state": None, "error": "", "truncated": 1, "lost": 2})
    return list(stored.collect(ENTRY, {PLACE: cell}, tmp_path / "old"))  # type: ignore[dict-item]


def test_no_digest_is_kept_and_what_was_said_is(rows: list[dict[str, Any]]) -> None:
    assert [(row["environment"], row["harness"], row["task_id"], row["truncated"]) for row in rows] == [
        ("a/env", "a/loop", "one", 1),
        ("a/env", "a/loop", "two", 1),
    ]
    assert "sha256" not in json.dumps(rows)
    assert stored.count_of(rows) == 2


def test_a_hub_with_other_bytes_and_the_same_tasks_gets_every_attempt(rows, tmp_path: Path) -> None:
    newer = cell_of("sha256:new", two="2?", one="1?")
    stored.lay_out(ENTRY, {PLACE: newer}, rows, tmp_path / "new")
    log = AttemptLog(tmp_path / "new", stored.settings(ENTRY))
    assert [log.find("sha256:new", one, 0)["messages"][-1]["content"] for one in ("one", "two")] == [
        "said to one",
        "said to two",
    ]


@pytest.mark.parametrize("prompts", [{"one": "1?", "two": "another question"}, {"one": "1?", "three": "3?"}])
def test_an_answer_to_another_question_is_no_answer(rows, tmp_path: Path, prompts: dict[str, str]) -> None:
    with pytest.raises(stored.ChangedTasksError, match="has not answered 1 of the tasks"):
        stored.lay_out(ENTRY, {PLACE: cell_of("sha256:new", **prompts)}, rows, tmp_path / "new")


def test_what_is_written_is_read_again(rows, tmp_path: Path) -> None:
    stored.write(rows, tmp_path / "kept.jsonl")
    assert stored.read(tmp_path / "kept.jsonl") == rows


def test_the_kept_attempts_are_small_and_of_tasks_that_the_collection_has_now() -> None:
    """Where this fails, a package's tasks have changed: let the models play again."""
    assert stored.STORED.stat().st_size < 300_000
    tasks: dict[str, dict[str, str]] = {}
    for row in stored.read():
        package = row["environment"].partition("/")[2]
        if package not in tasks:
            files = (COLLECTION / package / "src").glob("*/*.jsonl")
            lines = [
                json.loads(line) for file in files for line in file.read_text(encoding="utf-8").split("\n") if line
            ]
            tasks[package] = {one["id"]: stored._digest(one) for one in lines if "prompt" in one}
        assert tasks[package][row["task_id"]] == row["asked"], (package, row["task_id"])


def test_every_setting_of_the_language_model_has_answered_the_same_tasks_in_each_of_its_harnesses() -> None:
    answered = {(row["entry"], row["harness"], row["environment"], row["task_id"]) for row in stored.read()}
    places = {(environment, task) for _, _, environment, task in answered}
    models = [entry for entry in ENTRIES if entry.answer is None]
    wanted = {
        (entry.name, harness, environment, task)
        for entry in models for harness in entry.harnesses for environment, task in places
    }  # fmt: skip
    assert answered == wanted
    assert len(models) >= 2
