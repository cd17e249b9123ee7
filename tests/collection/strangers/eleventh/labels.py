"""Works out again what every answer of the eleventh set comes to, and whether that is what was asked for (Verihub, Apache-2.0).

A line names three values as expressions for sympy: ``truth`` is computed from the question, ``gold_value`` is what the gold answer
says, and ``value`` is what the response says. A wrong answer without a value has a ``reason``: another unit, two answers, none.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import sympy

NAMES = {**vars(sympy), **{name: sympy.Symbol(name) for name in "abxy"}, "Matrix": sympy.ImmutableMatrix}
ANSWERS = Path(__file__).with_name("answers.jsonl")


def load() -> list[dict[str, Any]]:
    return [json.loads(line) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]


@cache
def worked_out(expression: str) -> Any:
    found = eval(expression, dict(NAMES))  # our own file
    return found if isinstance(found, (str, bool)) else sympy.nsimplify(sympy.sympify(found), rational=True)


def are_equal(first: Any, second: Any) -> bool:
    if isinstance(first, (str, bool)) or isinstance(second, (str, bool)):
        return bool(first == second)
    if first == second:
        return True
    if isinstance(first, sympy.Expr) and isinstance(second, sympy.Expr):
        return sympy.simplify(first - second) == 0
    if isinstance(first, sympy.Tuple) and isinstance(second, sympy.Tuple):
        return len(first) == len(second) and all(map(are_equal, first, second))
    if isinstance(first, sympy.MatrixBase) and isinstance(second, sympy.MatrixBase):
        return first.shape == second.shape and all(map(are_equal, first, second))
    return False


def is_as_labelled(line: dict[str, Any]) -> bool:
    """Whether the gold answer is the truth, and the response is it just where the label says so."""
    truth = worked_out(line["truth"])
    if not are_equal(truth, worked_out(line["gold_value"])):
        return False
    if "value" not in line:
        return not line["label"] and bool(line["reason"])
    return are_equal(truth, worked_out(line["value"])) is line["label"]
