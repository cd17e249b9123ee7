"""The fresh tasks of lecture/python-functions, and how their solutions are changed (Verihub, Apache-2.0)."""

import importlib
import json
import random
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "collection" / "python-functions"
OWN = ("measure_fresh", "measure_mutants", "make_data", "more_tests", "hacks", "fresh", "lecture_python_functions")


@pytest.fixture(scope="module")
def measure_fresh():
    before = list(sys.path)
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("measure_fresh")
    sys.path[:] = before
    for name in [name for name in sys.modules if name.split(".")[0] in OWN]:
        del sys.modules[name]


def test_there_are_64_tasks_and_none_is_one_of_the_package_s(measure_fresh):
    names = [entry for entry, *_ in measure_fresh.programs()]
    rows = (FOLDER / "src" / "lecture_python_functions" / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(set(names)) == len(names) == 64
    assert not set(names) & {json.loads(row)["info"]["function"]["entry"] for row in rows}


def test_every_solution_takes_its_tests_and_what_is_drawn(measure_fresh):
    for entry, program, tests, draw in measure_fresh.programs():
        function, rng = measure_fresh.measure_mutants.loaded(program, entry), random.Random(entry)
        for args in [*tests, *(draw(rng) for _ in range(30))]:
            json.dumps(function(*json.loads(json.dumps(args))), allow_nan=False)


def test_further_changes_are_each_one_place_of_the_program(measure_fresh):
    program = "def f(a, b):\n    c = a.lower()\n    if c:\n        c = c[0]\n    return c - b\n"
    found = dict.fromkeys(measure_fresh.further(program, "f"))
    assert ("swapped", program.replace("c - b", "b - c").rstrip()) in found
    assert ("negated", program.replace("if c", "if not c").rstrip()) in found
    assert ("bare call", program.replace("a.lower()", "a").rstrip()) in found
    assert ("next place", program.replace("c[0]", "c[0 + 1]").rstrip()) in found
    assert {kind for kind, _ in found} == {"swapped", "negated", "bare call", "next place", "other name", "left out"}


def test_a_wrong_program_that_the_tests_accept_is_counted(measure_fresh, monkeypatch):
    def draw(rng):
        return [rng.randint(-9, 9)]

    monkeypatch.setattr(
        measure_fresh, "programs", lambda: iter([("f", "def f(a):\n    return abs(a)", [[1], [2]], draw)])
    )
    monkeypatch.setattr(measure_fresh, "drawn_tests", lambda *_: [])
    found = list(measure_fresh.measured(show=False))
    assert ("f", False, True, True) in found  # int(a) for abs(a): no test has a negative number
