"""Which episodes a release shows: none that gives away an answer of a split on which models are compared."""

import json
from typing import Any

import pytest

from hub_server.audits import actions
from schemas.evidence.audit import AuditReport, Failure
from tests.making.action_driver import ActionDriver
from tests.making.wheel import MANIFEST

CODE = "class Session:\n    pass\n\n\ndef verify(task, state):\n    return {'correct': 1.0}\n"
SPLITS = 'tasks = { train = "tasks.jsonl", test = "test.jsonl" }'
ROWS = {
    "tasks.jsonl": '{"id": "t1", "prompt": "1+1?", "answer": 2, "split": "train"}\n',
    "test.jsonl": '{"id": "secret", "prompt": "2+3?", "answer": 5, "split": "test"}\n',
}
INLINE = {"prompt": "Add.", "answer": 5}


def shown(
    driver: ActionDriver, *cases: dict[str, Any], report: AuditReport | None = None, tasks: str = SPLITS
) -> list[Any]:
    manifest = MANIFEST.replace('tasks = { train = "tasks.jsonl" }', f'{tasks}\nsession = "alice_small_sums:Session"')
    rows = [{"id": f"c{at}", "label": "correct", "state": {"acts": ["a", "b"]}, **one} for at, one in enumerate(cases)]
    files = {**ROWS, "audit.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    driver.publish(driver.person("alice"), manifest=manifest, code=CODE, package_files=files)
    return driver.ask(None, actions.list_episode_examples, "alice/small-sums", "1.0.0", report)


def test_a_stored_task_brings_what_it_asks_without_its_answer(driver: ActionDriver) -> None:
    (example,) = shown(driver, {"task_id": "t1"})
    assert example.prompt == [{"role": "user", "content": "1+1?"}]
    assert (example.is_measured, example.failure) == (False, None)


@pytest.mark.parametrize(
    "case",
    [
        {"task_id": "secret"},
        {"task": {"id": "secret", **INLINE}},
        {"task": {"id": "secret", "split": "train", **INLINE}},
        {"task": {"id": "made", "split": "test", **INLINE}},
        {"task": {"id": "made", **INLINE}},
    ],
)
def test_no_answer_of_a_held_out_split_is_given_away(driver: ActionDriver, case: dict[str, Any]) -> None:
    """Also where a case says no split, or another one than the file that holds its task."""
    assert shown(driver, case) == []


def test_where_nothing_is_held_out_a_task_needs_no_split(driver: ActionDriver) -> None:
    (example,) = shown(driver, {"task": {"id": "made", **INLINE}}, tasks='tasks = { train = "tasks.jsonl" }')
    assert example.prompt == "Add."


def test_what_the_audit_said_stands_beside_its_case_alone(driver: ActionDriver) -> None:
    failures = [
        Failure(case="c1", expected="incorrect", got={"correct": 1.0}, origin="author", kind="fp"),
        Failure(case="held", expected="incorrect", got={}, origin="held", kind="fp"),
    ]
    report = AuditReport.model_construct(failures=failures)
    right, wrong = shown(driver, {"task_id": "t1"}, {"task_id": "t1", "label": "incorrect"}, report=report)
    assert (right.is_measured, right.failure) == (True, None)
    assert wrong.failure == failures[0]
