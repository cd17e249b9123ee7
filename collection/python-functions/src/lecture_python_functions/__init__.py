"""Unit tests as a verifier: the model's code runs in a box that holds inputs only; values are compared here."""

from lecture_python_functions.code import find_program
from lecture_python_functions.comparison import is_same
from lecture_python_functions.training import generate
from sandbox.guest import run_solution

__all__ = ["generate", "verify"]

SECONDS = 4.0


def verify(task: dict, response: str) -> dict:
    """Run the function on every hidden input, in one process, and compare what came back as JSON."""
    function, tests = task["info"]["function"], task["answer"]
    program = find_program(response, function["prompt"], function["entry"])
    if program is None:
        return {"passes": 0.0, "tests_passed": 0.0, "defines_function": 0.0}
    ran = run_solution(
        code=program,
        entry=function["entry"],
        calls=[test["args"] for test in tests],
        timeout_seconds=SECONDS,
        memory_mb=192,
    )
    passed = sum(
        "value" in result and is_same(result["value"], test["value"])
        for result, test in zip(ran.results, tests, strict=False)
    )
    return {"passes": float(passed == len(tests)), "tests_passed": passed / len(tests), "defines_function": 1.0}
