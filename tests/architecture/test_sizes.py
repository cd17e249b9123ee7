"""A file has one subject, a function one screen: a watch, with a short list of reasoned exceptions."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge", "migrations"]
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MAX_FILE_LINES = 400
MAX_TEST_FILE_LINES = 450
MAX_FUNCTION_LINES = 56
MAX_TEMPLATE_COLUMNS = 200

# path or path::function -> why it may be longer. Keep near empty.
ALLOWED: dict[str, str] = {
    "sandbox/streams.py": "one class, whose sender and receiver share every lock and waiter",
    "hub_client/commands/import_packages.py::import_packages": "a command's options are its parameters",
    "hub_client/commands/audit.py::audit": "a command's options are its parameters",
    "hub_server/cli.py::serve": "a command's options are its parameters",
    "trainer_bridge/rollout/decoding/triton_kernels.py::_attend": "one kernel: parts of it would pass everything on",
    "trainer_bridge/build.py::open_parts": "the order in which the parts of a run are opened, and nothing else",
}


def _functions(path: Path) -> list[tuple[str, int]]:
    tree = ast.parse(path.read_text())
    nodes = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return [(node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in nodes]


def test_no_file_outgrows_its_subject() -> None:
    lines = {path: len(path.read_text().splitlines()) for path in [*MODULES, *TESTS]}
    long = {
        str(path.relative_to(ROOT)): count
        for path, count in lines.items()
        if count > (MAX_TEST_FILE_LINES if path in TESTS else MAX_FILE_LINES)
    }
    assert long.keys() - ALLOWED.keys() == set(), "two subjects make two files; one that is long has its reason here"
    assert {name for name in ALLOWED if "::" not in name} <= long.keys(), "no longer long: take its reason out"


def test_no_function_outgrows_a_screen() -> None:
    long = {
        f"{path.relative_to(ROOT)}::{name}": lines
        for path in MODULES
        if "migrations/versions" not in str(path)
        for name, lines in _functions(path)
        if lines > MAX_FUNCTION_LINES
    }
    assert long.keys() - ALLOWED.keys() == set()
    assert {name for name in ALLOWED if "::" in name} <= long.keys(), "no longer long: take its reason out"


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
