"""Tests mirror modules: the tests of ``a/b/c.py`` are ``tests/a/b/test_c.py``.

Tests that follow a scenario through several modules lie in the nearest folder, under the scenario's name.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge"]
SMALL = 30
"""Lines up to which a module is covered well enough by the tests of those who use it."""
APART = (
    "checks/attacks/attempts",
    "hub_client/starters",
    "audit/probes",
    "hub_server/ports",
    "trainer_bridge/ports.py",
)
"""Attempts, starters and probes are tested as a table, each row by name; a port is an interface."""


LEAST_SHARE = 0.8
"""Lines of tests to lines of source."""


def _modules() -> list[Path]:
    found = (path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return sorted(
        path
        for path in found
        if path.name not in ("__init__.py", "__main__.py", "errors.py")
        and not any(part in str(path) for part in APART)
        and len((ROOT / path).read_text().splitlines()) > SMALL
    )


def _mirror(module: Path) -> Path:
    return ROOT / "tests" / module.parent / f"test_{module.name}"


def test_every_module_has_tests_of_its_own() -> None:
    missing = [str(module) for module in _modules() if not _mirror(module).exists()]
    assert missing == [], "each of these needs tests/…/test_NAME.py"


def test_every_test_file_lies_beside_what_it_tests() -> None:
    astray = [
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / "tests" / package).rglob("test_*.py")
        if not (ROOT / path.parent.relative_to(ROOT / "tests")).is_dir() and path.parent.name != "reliability"
    ]
    assert astray == []


def _lines(folder: Path) -> int:
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py") if "starters" not in path.parts)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_about_as_many_lines_of_tests_as_of_source(package: str) -> None:
    assert _lines(ROOT / "tests" / package) >= LEAST_SHARE * _lines(ROOT / package)
