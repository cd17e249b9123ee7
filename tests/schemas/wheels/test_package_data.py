"""Tasks and cases of a package: every fault of every row at once, each with its place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifest import Manifest
from schemas.wheels.package_data import case_rows, check_data_files, task_lines, task_rows
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


# -- lines without tasks ---------------------------------------------------------------------------------------------

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.just(10**400)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(), lambda part: st.lists(part) | st.dictionaries(st.text(), part)
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.text()}, optional={"content": st.text(), "tool_call_id": st.text()}), max_size=2
)
ROWS = st.fixed_dictionaries(
    {"id": st.text(min_size=1, max_size=9), "prompt": st.text() | MESSAGES},
    optional={
        "answer": VALUES,
        "info": st.dictionaries(st.text(), VALUES, max_size=3),
        "tags": st.lists(st.text(), max_size=2),
        "split": st.sampled_from(["train", "test"]),
    },
)


def _both(data: bytes, *, with_answer: bool) -> tuple[list[bytes], list[bytes]]:
    tasks = task_rows(data, "tasks.jsonl", "train")
    lines = task_lines(data, "tasks.jsonl", "train", with_answer=with_answer)
    return list(lines), [task.to_line(with_answer=with_answer) for task in tasks]


@given(st.lists(ROWS, max_size=4), st.booleans(), st.booleans())
def test_a_line_written_without_its_task_is_that_of_the_task(rows, is_ascii, with_answer):
    data = "\n".join(json.dumps(row, ensure_ascii=is_ascii) for row in rows).encode()
    lines, of_tasks = _both(data, with_answer=with_answer)
    assert lines == of_tasks


@pytest.mark.parametrize(
    "value", ["-0", "-0.0", "1E5", "1e-400", "1e400", "0.1000000000000000055511", "9" * 4000, "5e-324"]
)
@pytest.mark.parametrize("with_answer", [True, False])
def test_a_number_in_a_line_is_the_one_of_the_task(value, with_answer):
    row = f'\n  {{"id": "a", "prompt": "p\\u2028\\ud83d\\ude00", "answer": {value}, "info": {{"n": [{value}], "n": {value}}}}}\r\n \n'
    lines, of_tasks = _both(row.encode(), with_answer=with_answer)
    assert lines == of_tasks
    assert len(lines) == 1


@pytest.mark.parametrize(
    "row",
    [
        '{"id": "a", "prompt": NaN}',
        '{"id": "a"}',
        '{"id": "a", "prompt": "p", "extra": 1}',
        '{"prompt": "p"}',
        "[",
        "[]",
    ],
)
def test_a_row_that_is_no_task_is_refused_there_too(row):
    with pytest.raises(WheelError):
        list(task_lines(row.encode(), "tasks.jsonl", "train", with_answer=True))
