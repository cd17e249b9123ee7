"""Responses with which a form is filled: none that gives away an answer of a split on which models are compared."""

import json
from typing import Any

from hub_server.audits import actions
from tests.making.action_driver import ActionDriver
from tests.making.wheel import MANIFEST

ROWS = {
    "tasks.jsonl": '{"id": "t1", "prompt": "1+1?", "answer": 2}\n',
    "test.jsonl": '{"id": "secret", "prompt": "2+3?", "answer": 5}\n',
}


def shown(driver: ActionDriver, *cases: dict[str, Any]) -> list[tuple[str, str]]:
    manifest = MANIFEST.replace('{ train = "tasks.jsonl" }', '{ train = "tasks.jsonl", test = "test.jsonl" }')
    rows = [{"id": f"c{at}", "label": "correct", "response": "5", **one} for at, one in enumerate(cases)]
    files = {**ROWS, "audit.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}
    driver.publish(driver.person("alice"), manifest=manifest, package_files=files)
    found = driver.ask(None, actions.list_response_examples, "alice/small-sums", "1.0.0")
    return [(example.case.id, example.split) for example in found]


def test_a_response_comes_with_the_split_of_its_task_and_none_is_of_a_held_out_one(driver: ActionDriver) -> None:
    own = {"task": {"id": "made", "prompt": "Add.", "answer": 5, "split": "train"}, "label": "incorrect"}
    assert shown(driver, {"task_id": "secret"}, {"task_id": "t1"}, own) == [("c1", "train"), ("c2", "")]
