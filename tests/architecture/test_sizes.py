"""A file has one subject, a function one screen: a watch, with a short list of reasoned exceptions."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge", "migrations"]
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MAX_FILE_LINES = 450
MAX_FUNCTION_LINES = 70
MAX_TEMPLATE_COLUMNS = 200

# path or path::function -> why it may be longer. Keep near empty.
ALLOWED: dict[str, str] = {}


def _functions(path: Path) -> list[tuple[str, int]]:
    tree = ast.parse(path.read_text())
    nodes = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return [(node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in nodes]


def test_no_file_outgrows_its_subject() -> None:
    long = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in [*MODULES, *TESTS]}
    assert {name: n for name, n in long.items() if n > MAX_FILE_LINES and name not in ALLOWED} == {}


def test_no_function_outgrows_a_screen() -> None:
    long = {
        f"{path.relative_to(ROOT)}::{name}": lines
        for path in MODULES
        if "migrations/versions" not in str(path)
        for name, lines in _functions(path)
        if lines > MAX_FUNCTION_LINES
    }
    assert {name: n for name, n in long.items() if name not in ALLOWED} == {}


def test_no_line_of_a_template_is_too_long_to_be_read() -> None:
    templates = sorted((ROOT / "hub_server" / "site" / "templates").rglob("*.html"))
    assert templates
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in templates
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > MAX_TEMPLATE_COLUMNS
    ]
    assert long == []
