"""The baselines beside lecture/math-answer do what their names say, faults included."""

import importlib
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from tests.making.altered_library import alter_library

COLLECTION = Path(__file__).parents[2] / "collection"


def load(name: str) -> ModuleType:
    source = str(COLLECTION / name / "src")
    sys.path.insert(0, source)
    try:
        return importlib.import_module(f"lecture_{name.replace('-', '_')}")
    finally:
        sys.path.remove(source)


def test_exact_match_wants_the_same_characters():
    verify = load("exact-match").verify
    assert verify({"answer": "1/2"}, " 1/2\n") == {"correct": 1.0}
    assert verify({"answer": "1/2"}, "0.5") == {"correct": 0.0}


def test_substring_rule_pays_the_share_that_the_answer_is():
    verify = load("substring-rule").verify
    assert verify({"answer": "4"}, "4") == {"correct": 1.0}
    assert verify({"answer": "4"}, "-4") == {"correct": 0.5}  # the fault that it is here to show
    assert verify({"answer": "4"}, "the answer is 4")["correct"] < 0.1
    assert verify({"answer": "4"}, "5") == {"correct": 0.0}


def test_substring_rule_refuses_a_task_without_answer():
    with pytest.raises(ValueError, match="no answer"):
        load("substring-rule").verify({"answer": " "}, "anything")


@pytest.fixture(scope="module")
def math_verify():
    pytest.importorskip("math_verify")
    return load("math-verify").verify


def test_math_verify_reads_bare_and_delimited_answers(math_verify):
    assert math_verify({"answer": "\\frac{1}{2}"}, "0.5") == {"correct": 1.0}
    assert math_verify({"answer": "$\\frac{1}{2}$"}, "So it is \\boxed{\\frac{2}{4}}.") == {"correct": 1.0}
    assert math_verify({"answer": "2"}, "3") == {"correct": 0.0}


def test_math_verify_works_outside_the_main_thread(math_verify):
    found: list[dict] = []
    thread = threading.Thread(target=lambda: found.append(math_verify({"answer": "2"}, "2")))
    thread.start()
    thread.join()
    assert found == [{"correct": 1.0}]


def test_math_verify_that_ran_out_of_time_has_not_judged(math_verify, monkeypatch):
    module = sys.modules["lecture_math_verify"]
    clock = iter([0.0, module.SECONDS + 1.0])
    alter_library(monkeypatch, module, "time", monotonic=lambda: next(clock))
    assert math_verify({"answer": "2"}, "3") == {"correct": None}
