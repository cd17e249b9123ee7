"""The hub's own cases: what is read, what is chosen, and what is told of them."""

import json
import os
from pathlib import Path

import pytest

from hub_server.audits.actions.held_cases import held_cases
from schemas.evidence.cases import AuditCase, Origin
from schemas.measures.owners import HUB
from schemas.suite import SuiteAdapter

TELLING = "telling"


def write(folder: Path, count: int, **more: object) -> Path:
    rows = [
        {"id": f"{TELLING}{n}", "label": "correct", "response": str(n), "task": {"id": f"t{n}", "prompt": "?", "answer": n},
         "tags": [TELLING], "cluster": TELLING, "note": TELLING, "source": TELLING, "licence": TELLING, **more}
        for n in range(count)
    ]  # fmt: skip
    path = folder / "short-number.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def held(folder: Path, secret: str = "secret") -> list[AuditCase]:
    return held_cases(folder, "short-number", SuiteAdapter(), secret)


def test_a_held_case_counts_as_the_hubs_own_and_tells_nothing_of_where_it_stands(tmp_path: Path) -> None:
    write(tmp_path, 3)
    found = held(tmp_path)
    assert {(case.origin, case.behind, case.first_look) for case in found} == {(Origin.HELD, HUB, True)}
    told = [case.model_dump_json(include={"id", "tags", "cluster", "note", "source", "licence"}) for case in found]
    assert all(TELLING not in text for text in told)
    assert sorted(case.response for case in found) == ["0", "1", "2"]


def test_names_and_order_are_the_secrets_and_the_same_under_the_same_one(tmp_path: Path) -> None:
    write(tmp_path, 40)
    one, again, other = held(tmp_path), held(tmp_path), held(tmp_path, "another")
    assert one == again
    assert {case.id for case in one}.isdisjoint(case.id for case in other)
    assert [case.response for case in one] != [case.response for case in other]
    assert {case.cluster for case in one}.isdisjoint(case.cluster for case in other)


def test_one_audit_runs_five_hundred_of_many_and_each_secret_draws_others(tmp_path: Path) -> None:
    write(tmp_path, 700)
    one, other = held(tmp_path), held(tmp_path, "another")
    assert len(one) == len(other) == 500
    assert {case.response for case in one} != {case.response for case in other}


def test_a_case_without_a_task_of_its_own_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, 2, task=None, task_id="t0")
    assert held(tmp_path) == []


def test_no_file_is_no_case_and_an_unreadable_one_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert held(tmp_path) == []
    assert caplog.text == ""
    write(tmp_path, 1).write_text("{")
    assert held(tmp_path) == []
    assert "the held cases short-number.jsonl cannot be read and count for nothing" in caplog.text


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, 1)
    assert len(held(tmp_path)) == 1
    write(tmp_path, 2)
    os.utime(path, ns=(1, 1))  # whatever the resolution of this file system's times is
    assert len(held(tmp_path)) == 2
