"""Responses that are Python scripts which read standard input, and the tests of their tasks.

A family may use them only where the tests are known: then what is printed for no input, or for another one, is
certainly wrong. A task with a checker may have several right outputs, so nothing is known of it.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_FENCE = re.compile(r"```(?:python|py|python3)?[ \t]*\n(.*?)```", re.DOTALL)
_ENDS_ITSELF = re.compile(
    r"\b(?:exit|_exit|quit|SystemExit|close|detach|dup2|kill|abort|exec\w*)\b|\bstdout\s*=|\bprint\s*="
)
_WRITES_OTHERWISE = re.compile(r"\b(?:write|__stdout__|Thread|fork|system|subprocess)\b|\bopen\(1")
_FEWEST_TESTS = 2
_NEAR = 0.1
_LONGEST_NUMBER = 40


@dataclass(frozen=True)
class Script:
    """A script in a response: ``response == before + code + after``."""

    before: str
    code: str
    after: str

    def with_code(self, code: str) -> str:
        """The response with another script in the same wrapping."""
        return f"{self.before}{code}{self.after}"

    @property
    def runs_to_its_end(self) -> bool:
        """Whether a line that is added behind the code surely runs, and can print."""
        return not _ENDS_ITSELF.search(self.code)

    @property
    def prints_only(self) -> bool:
        """Whether all of its output surely goes through ``print``, and a line behind the code runs."""
        return self.runs_to_its_end and not _WRITES_OTHERWISE.search(self.code)


@dataclass(frozen=True)
class Test:
    """What a script reads, and what it must print."""

    stdin: str
    stdout: str


def read(response: str) -> Script | None:
    """The only fenced program, or the whole response when it is one; None unless it reads standard input."""
    fences = list(_FENCE.finditer(response))
    if len(fences) > 1:
        return None
    start, end = fences[0].span(1) if fences else (0, len(response))
    code = response[start:end]
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return Script(response[:start], code, response[end:]) if any(map(_reads, ast.walk(tree))) else None


def _reads(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "stdin"
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    first = node.args[0] if node.args else None
    return node.func.id == "input" or (
        node.func.id == "open" and isinstance(first, ast.Constant) and first.value in (0, "/dev/stdin")
    )


def tests_of(task: Mapping[str, Any]) -> tuple[Test, ...]:
    """The task's tests: a list of ``{"stdin": …, "stdout": …}``, or ``{"inputs": […], "outputs": […]}``.

    Empty where there are fewer than two, or a checker decides.
    """
    info = task.get("info")
    if "check" in re.sub(r"\bcompare\b", "", repr(info)).casefold():
        return ()
    answer = task.get("answer")
    rows: list[tuple[Any, Any]] = []
    if isinstance(answer, dict) and isinstance(answer.get("inputs"), list) and isinstance(answer.get("outputs"), list):
        rows = list(zip(answer["inputs"], answer["outputs"], strict=False))
    elif isinstance(answer, list) and all(isinstance(one, dict) for one in answer):
        rows = [(one.get("stdin", one.get("input")), one.get("stdout", one.get("output"))) for one in answer]
    if len(rows) < _FEWEST_TESTS or not all(isinstance(given, str) and isinstance(out, str) for given, out in rows):
        return ()
    return tuple(Test(given, out) for given, out in rows)


def differ(output: str, wanted: str) -> bool:
    """Whether one is certainly not the other, whatever space, form of numbers and tolerance a judge allows."""
    said, gold = output.split(), wanted.split()
    if len(said) != len(gold):
        return True
    return any(_differ(one, other) for one, other in zip(said, gold, strict=True))


def _differ(one: str, other: str) -> bool:
    value, wanted = _number(one), _number(other)
    if value is None or wanted is None:
        return one.casefold() != other.casefold()
    return abs(value - wanted) > _NEAR * max(1.0, abs(value), abs(wanted))


def _number(text: str) -> float | None:
    try:
        return float(text) if len(text) <= _LONGEST_NUMBER else None
    except ValueError:
        return None
