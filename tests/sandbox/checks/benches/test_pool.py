"""What ``scripts/bench pool`` gives to both sides: every audit case once, and the same arguments by name."""

import importlib.util
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.interface import Call

PATH = Path(__file__).parents[4] / "scripts" / "bench_pool.py"
CASES = "".join(
    f'{{"id": "c{number}", "task": {{"id": "t", "prompt": "?", "answer": "{number}"}}, "response": "{number}", '
    '"label": "correct"}\n'
    for number in range(5)
)


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_pool", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_audit_case_is_one_call(bench, tmp_path) -> None:
    sample = Sample("", head='verifier = "PACKAGE:verify"\naudit = ["audit.jsonl"]', files={"audit.jsonl": CASES})
    calls = bench._calls(sample.source(tmp_path))
    assert [(call.id, call.response, call.task["answer"]) for call in calls] == [(n, n, n) for n in "01234"]


def test_a_pools_process_hands_a_verifier_what_it_names(bench) -> None:
    bench._verify = lambda task, response: {"correct": float(task["answer"] == response)}
    rewards, seconds = bench._judge([Call("1", {"answer": "2"}, "2"), Call("2", {"answer": "2"}, "3")])
    assert rewards == [{"correct": 1.0}, {"correct": 0.0}]
    assert seconds >= 0


def test_a_fork_for_each_group_tells_the_same_and_counts_its_childs_time(bench) -> None:
    kept = []

    def verify(task, response):
        kept.append(response)
        return {"correct": float(task["answer"] == response)}

    bench._verify = verify
    rewards, seconds = bench._judge_in_a_fork([Call("1", {"answer": "2"}, "2"), Call("2", {"answer": "2"}, "3")])
    assert rewards == [{"correct": 1.0}, {"correct": 0.0}]
    assert seconds > 0
    assert kept == [], "what the child did stays in the child"
