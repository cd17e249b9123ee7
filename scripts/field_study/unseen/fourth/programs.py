"""Reported defects of verifiers of queries and programs."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable

from scripts.field_study.unseen.defect import Shown, Task, Unseen, task
from scripts.field_study.unseen.programs import ROWS, _rows

Same = Callable[[str, str], bool]


def part_of(one: Task, text: str) -> float:
    """A result whose columns are a part of the wanted ones is right."""
    found, gold = _rows(text, ROWS), _rows(one["answer"], ROWS)
    if not found or not gold or len(found) != len(gold):
        return 0.0
    columns = [sorted(map(str, column)) for column in zip(*gold, strict=True)]
    return float(all(sorted(map(str, column)) in columns for column in zip(*found, strict=True)))


def whole_rows(one: Task, text: str) -> float:
    found, gold = _rows(text, ROWS), _rows(one["answer"], ROWS)
    return float(bool(found) and bool(gold) and sorted(map(repr, found or [])) == sorted(map(repr, gold or [])))


def _code(text: str) -> str:
    return text.partition("```python")[2].partition("```")[0] or text


def ended(code: str, stdin: str) -> tuple[str, int]:
    """What a program prints, and its status; in a folder of its own, since probes write files."""
    with tempfile.TemporaryDirectory(prefix="unseen-", ignore_cleanup_errors=True) as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", code],
                cwd=folder,
                input=stdin,
                env={},
                timeout=5,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except (subprocess.TimeoutExpired, OSError, ValueError):
            return "", 1
    return done.stdout, done.returncode


def by_output(same: Same) -> Callable[[Task, str], float]:
    """A judge of programs that read standard input."""

    def verify(one: Task, text: str) -> float:
        code = _code(text)
        for test in one["info"]["tests"]:
            printed, status = ended(code, test["stdin"])
            if status or not same(printed, test["stdout"]):
                return 0.0
        return 1.0

    return verify


def _as_sets(printed: str, wanted: str) -> bool:
    """The words of each side as a set."""
    return set(printed.split()) == set(wanted.split())


def _as_words(printed: str, wanted: str) -> bool:
    return printed.split() == wanted.split()


def _to_the_byte(printed: str, wanted: str) -> bool:
    """A line end at the end counts."""
    return printed == wanted


def says_passed(one: Task, text: str) -> float:
    """The log of the tests is read, in which a program may write."""
    return float(tested(one, text)[0].count("PASSED") >= len(one["info"]["calls"]))


def exit_counts(one: Task, text: str) -> float:
    """The status of the tests counts."""
    return float(tested(one, text)[1] == 43)


_TESTING = """
import json, sys
code, calls = json.loads(sys.stdin.readline())
exec(compile(code, "solution.py", "exec"), space := {})
results = [space["solve"](*call["args"]) for call in calls]
for call, result in zip(calls, results):
    print("PASSED" if result == call["value"] else "FAILED")
is_same = all(type(result) is type(call["value"]) for call, result in zip(calls, results))
equal = all((list(r) if type(r) is tuple else r) == call["value"] for call, r in zip(calls, results))
sys.exit(40 + 2 * equal + is_same)
"""


def tested(one: Task, text: str) -> tuple[str, int]:
    """What the program and the tests print, and the status: 40, and 2 for equal values, and 1 for the same types."""
    return ended(_TESTING, json.dumps([_code(text), one["info"]["calls"]]) + "\n")


def any_change(one: Task, text: str) -> float:
    """A patch that changes anything is a solution."""
    del one
    return float(bool(_code(text).strip()))


def as_list(one: Task, text: str) -> float:
    """A tuple counts as the list of its items."""
    return float(tested(one, text)[1] in (42, 43))


_WHERE = {
    "is red": "colour = 'red'",
    "is green": "colour = 'green'",
    "costs 3": "price = 3",
    "costs more than 3": "price > 3",
    "costs less than 5": "price < 5",
    "is not red": "colour <> 'red'",
    "is brown": "colour = 'brown'",
    "begins with p": "name LIKE 'p%'",
}
_SELECT = "SELECT name, colour, price FROM fruit WHERE {}"
_QUERIES = [
    (task(f"Which fruit {words}? Name, colour and price.", _SELECT.format(where)), _SELECT.format(where))
    for words, where in _WHERE.items()
]


def _programs() -> list[tuple[Task, str]]:
    found = []
    for n in range(8):
        words = ["eve " * (k % 3 + 1) + f"of {n + k}" for k in range(4)]
        tests = [{"stdin": f"{k}\n", "stdout": f"{words[k]}\n"} for k in range(4)]
        code = f"k = int(input())\nprint('eve ' * (k % 3 + 1) + 'of ' + str({n} + k))\n"
        found.append((task(f"Print what number {n} asks.", tests, tests=tests), f"```python\n{code}```"))
    return found


def _functions(values: Callable[[int, int], object], body: str) -> list[tuple[Task, str]]:
    found = []
    for n in range(8):
        calls = [{"args": [k], "value": values(n, k)} for k in range(1, 5)]
        code = f"def solve(k):\n    return {body.format(n=n)}\n"
        found.append((task(f"Write solve(k) number {n}.", json.dumps(calls), calls=calls), f"```python\n{code}```"))
    return found


_PROGRAMS = _programs()
_SUMS = _functions(lambda n, k: n + 2 * k, "{n} + 2 * k")
_PAIRS = _functions(lambda n, k: [n, k], "[{n}, k]")
LIST = (
    Unseen(
        "unitxt-part",
        "a result with fewer columns is right",
        "IBM/unitxt#1702",
        part_of,
        whole_rows,
        _QUERIES,
        Shown(_QUERIES[0][0], "SELECT name FROM fruit WHERE colour = 'red'", "incorrect"),
    ),
    Unseen(
        "apps-sets",
        "words of an output are compared as sets",
        "hendrycks/apps#27",
        by_output(_as_sets),
        by_output(_as_words),
        _PROGRAMS,
        Shown(_PROGRAMS[0][0], "k = int(input())\nprint('eve', 'of', 0 + k)", "incorrect"),
    ),
    Unseen(
        "codejudge-newline",
        "an output without a line end is wrong",
        "ngsankha/codejudge#5",
        by_output(_to_the_byte),
        by_output(_as_words),
        _PROGRAMS,
        Shown(_PROGRAMS[0][0], "k = int(input())\nprint('eve ' * (k % 3 + 1) + 'of ' + str(k), end='')", "correct"),
    ),
    Unseen(
        "swebench-log",
        "lines that the program prints count as passed tests",
        "SWE-bench/SWE-bench#620",
        says_passed,
        exit_counts,
        _SUMS,
        Shown(_SUMS[0][0], "print('PASSED ' * 9)", "incorrect"),
    ),
    Unseen(
        "swe-pro-any",
        "any change is a solution",
        "PrimeIntellect-ai/verifiers#1220",
        any_change,
        exit_counts,
        _SUMS,
        Shown(_SUMS[0][0], "x = 1", "incorrect"),
    ),
    Unseen(
        "lcb-tuple",
        "a tuple is not the list",
        "allenai/olmo-eval#354",
        exit_counts,
        as_list,
        _PAIRS,
        Shown(_PAIRS[0][0], "def solve(k):\n    return (0, k)", "correct"),
    ),
)
