"""The graders' own code, here and without boxes: right about honest programs, each with the weakness of its kind."""

import subprocess
import sys
import textwrap
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import guest
from sandbox.checks.attacks.graders import CASES, EXAM, NAIVE, SOLUTION_BOX
from sandbox.checks.samples import Sample
from sandbox.guest.solution import SolutionResult

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x + 1\n"
WEAKNESS = {
    "exec in process": "class Any(int):\n    __eq__ = lambda *_: True\ndef double(x):\n    return Any()\n",
    "exit code of asserts": "raise SystemExit(0)\n",
    "exit code of unittest": "import os\nos._exit(0)\n",
    "JSON on stdout": 'import os\nos.write(1, b\'{"passed": 1, "total": 1}\')\nos._exit(0)\n',
    "result file": "import os\nopen('result.json', 'w').write('{\"reward\": 1}')\nos._exit(0)\n",
}


@pytest.fixture
def grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Sample, str], dict[str, float]]:
    """The rewards that a grader gives to a program, run in an empty folder."""

    numbers = count()

    def run(command: list[str], **options: Any) -> Any:
        return subprocess.run([sys.executable, *command[1:]], check=False, **options)  # the interpreter of this test

    def graded(sample: Sample, program: str) -> dict[str, float]:
        folder = tmp_path / str(next(numbers))  # of its own, as each call has
        folder.mkdir()
        monkeypatch.chdir(folder)
        scope: dict[str, Any] = {}
        exec(compile(textwrap.dedent(sample.code), sample.name, "exec"), scope)
        if "subprocess" in scope:
            scope["subprocess"] = SimpleNamespace(run=run)
        rewards: dict[str, float] = scope["verify"](EXAM, program, *([{}] if sample is SOLUTION_BOX else []))
        return rewards

    return graded


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("name", NAIVE)
def test_a_usual_grader_is_right_about_honest_programs_and_has_its_weakness(grade, name: str) -> None:
    programs = (RIGHT, WRONG, WEAKNESS[name])
    assert [grade(NAIVE[name], program)["correct"] for program in programs] == [1.0, 0.0, 1.0]


def solved(*values: Any, error: str = "") -> SolutionResult:
    return SolutionResult(results=[{"value": value} for value in values], error=error)


EXPECTED = [expected for _, expected in CASES]


@pytest.mark.parametrize(
    ("result", "reward"),
    [
        (solved(*EXPECTED), 1.0),
        (solved(*EXPECTED[:-1]), 0.0),
        (solved(*EXPECTED, 1), 0.0),
        (solved(), 0.0),
        (solved(*EXPECTED, error="it took too long"), 0.0),
        (solved(2, 4, 20, 1), 0.0),
        (solved(2, 4, 20, True), 0.0),
        (solved(2, 4, 21, 1.0), 0.0),
        (SolutionResult(results=[{"error": "x"}] * len(CASES)), 0.0),
    ],
    ids=["right", "one less", "one more", "none", "error", "an int for a float", "a bool", "wrong", "each failed"],
)
def test_a_solution_box_compares_values_and_types_where_the_program_never_runs(
    grade, monkeypatch: pytest.MonkeyPatch, result: SolutionResult, reward: float
) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(guest, "run_solution", lambda **wanted: asked.append(wanted) or result)
    assert grade(SOLUTION_BOX, RIGHT) == {"correct": reward}
    [wanted] = asked
    assert (wanted["code"], wanted["entry"], wanted["calls"]) == (RIGHT, "double", [args for args, _ in CASES])
    assert wanted.keys() == {"code", "entry", "calls", "timeout_seconds"}, "the answers stay here"


def test_every_usual_grader_has_a_weakness_that_is_shown_here() -> None:
    assert WEAKNESS.keys() == NAIVE.keys()
