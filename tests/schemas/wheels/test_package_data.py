"""Tasks and cases of a package: every fault of every row at once, each with its place."""

import json

import pytest

from schemas.manifest import Manifest
from schemas.wheels.package_data import case_rows, check_data_files, task_rows
from schemas.wheels.wheel_error import ProblemList, WheelError

MANIFEST = {
    "format": 1,
    "id": "alice/sums",
    "kind": "environment",
    "tasks": {"train": "all.jsonl", "test": "all.jsonl"},
    "verifier": "alice_sums:verify",
    "audit": ["audit.jsonl"],
    "rewards": {"right": {}},
}
TASKS = [{"id": "1", "prompt": "?"}, {"id": "2", "prompt": "?", "split": "test"}]
CASES = [{"id": "a", "task_id": "1", "response": "x", "label": "correct"}]


def lines(rows):
    return "\n".join(json.dumps(row) for row in rows).encode()


def faults(rows=TASKS, cases=CASES, **manifest):
    problems = ProblemList()
    files = {"alice_sums/all.jsonl": lines(rows), "alice_sums/audit.jsonl": lines(cases)}
    check_data_files(files, Manifest.model_validate(MANIFEST | manifest), problems)
    return [f"{part.pointer} {part.message}" for part in problems.parts]


def test_sound_files_have_no_faults():
    assert faults() == []


def test_a_row_belongs_to_its_own_split_or_to_all_that_its_file_serves():
    data = lines(TASKS)
    assert [task.id for task in task_rows(data, "all.jsonl", "train")] == ["1"]
    assert [(task.id, task.split) for task in task_rows(data, "all.jsonl", "test")] == [("1", "test"), ("2", "test")]


@pytest.mark.parametrize(
    ("tasks", "cases", "words"),
    [
        ([*TASKS, {"id": "1", "prompt": "again"}], CASES, "used on line 1 already"),
        ([*TASKS, {"id": "3", "prompt": "?", "split": "dev"}], CASES, "not served by this file"),
        ([{"id": "1", "prompt": "?", "split": "train"}], CASES, "holds no task for split test"),
        (TASKS, [*CASES, *CASES], "is used at audit.jsonl:1 already"),
        (TASKS, [CASES[0] | {"task_id": "9"}], "which this package does not hold"),
        (TASKS, [CASES[0] | {"expect": {"wrong": 1}}], "no declared reward"),
        (TASKS, [CASES[0] | {"expect": {"right": 2}}], "outside its range"),
    ],
)
def test_a_fault_has_its_place_and_a_remedy(tasks, cases, words):
    found = faults(tasks, cases)
    assert any(words in fault for fault in found), found
    assert all(fault.startswith("alice_sums/") for fault in found)


def test_a_case_may_name_a_task_that_a_generator_makes():
    tasks = {"train": "all.jsonl", "test": "alice_sums:make"}
    assert faults([{"id": "1", "prompt": "?"}], [CASES[0] | {"task_id": "9"}], tasks=tasks) == []


def test_a_missing_file_is_named():
    problems = ProblemList()
    check_data_files({}, Manifest.model_validate(MANIFEST), problems)
    assert {part.pointer for part in problems.parts} == {"alice_sums/all.jsonl", "alice_sums/audit.jsonl"}


def test_a_published_file_with_a_fault_is_an_error():
    with pytest.raises(WheelError, match="without id"):
        list(task_rows(b'{"prompt": "?"}', "all.jsonl", "train"))
    with pytest.raises(WheelError, match="label"):
        list(case_rows(b'{"id": "1", "task_id": "1", "response": "", "label": "x"}', "audit.jsonl"))
