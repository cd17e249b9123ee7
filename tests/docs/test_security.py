"""The list of ``docs/explanation/security.md`` is whole, and the tests that it names are there."""

import ast
import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

PAGE = (DOCS / "explanation" / "security.md").read_text()
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if re.match(r"\| \d+ \|", line)
]


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}


def test_the_list_has_each_class_once() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 49))
    assert {row[2] for row in ROWS} <= {"held", "open", "not applicable"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"row {row[0]}")
def test_what_is_held_names_a_test_that_is_there(row: list[str]) -> None:
    _, _, state, _, named = row
    tests = re.findall(r"`([\w/.]+)::(\w+)`", named)
    assert bool(tests) == (state != "not applicable")
    for path, name in tests:
        assert name in functions(ROOT / "tests" / path), f"{path}::{name}"


def test_what_is_open_is_said_at_the_top() -> None:
    top, _, _ = PAGE.partition("## The list")
    said = {int(number) for number in re.findall(r"\(row (\d+)\)", top)}
    assert {int(row[0]) for row in ROWS if row[2] == "open"} <= said
