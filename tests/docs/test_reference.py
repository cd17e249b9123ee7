"""Reference pages that are written from the code are what the code says now."""

import importlib.util
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.pages import DOCS, ROOT

pytestmark = pytest.mark.together("reference")  # the pages are written once

PAGES = ("commands.md", "settings.md", "http_routes.md", "python_api.md", "files.md", "metrics.md")


@cache
def _writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _written() -> dict[str, str]:
    pages: dict[str, str] = _writer().pages()
    return pages


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_code_says(name: str) -> None:
    kept = (DOCS / "reference" / name).read_text()
    assert kept == _written()[name], "run scripts/reference.py, and read what changed"


def test_every_setting_says_what_it_means() -> None:
    rows = [line for line in _written()["settings.md"].splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.split(" | ")[-1].strip(" |") == ""] == []


def test_every_field_of_a_file_says_what_it_means() -> None:
    assert [row for row in _written()["files.md"].splitlines() if row.endswith("|  |")] == []


def test_every_setting_of_the_hub_is_named_by_its_variable() -> None:
    page = Path(DOCS / "reference" / "settings.md").read_text()
    for variable in (
        "VERIHUB_SERVER_SIGN_UP_OPEN",
        "VERIHUB_SERVER_STORAGE__DATABASE_URL",
        "VERIHUB_SANDBOX_MAX_BOXES",
    ):
        assert f"`{variable}`" in page


def test_every_class_of_settings_is_on_the_page() -> None:
    page = _written()["settings.md"]
    prefixes = {
        prefix
        for package in ("schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge")
        for path in (ROOT / package).rglob("*settings.py")
        for prefix in re.findall(r'env_prefix="(VERIHUB_\w*)"', path.read_text())
    }
    assert len(prefixes) > 5
    assert [prefix for prefix in sorted(prefixes) if f"| `{prefix}" not in page] == []


def test_every_path_of_the_api_is_named_once() -> None:
    page = _written()["http_routes.md"]
    for path, methods in _writer().openapi()["paths"].items():
        for method in methods:
            assert page.count(f"`{method.upper()} {path}`") == 1


HAND_WRITTEN = [page for page in sorted(DOCS.rglob("*.md")) if page.name not in PAGES] + [ROOT / "README.md"]


@pytest.mark.parametrize("page", HAND_WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_variable_that_a_page_names_is_a_setting(page: Path) -> None:
    known = (DOCS / "reference" / "settings.md").read_text()
    named = set(re.findall(r"\bVERIHUB_[A-Z][A-Z_]*[A-Z]\b", page.read_text()))
    assert {name for name in named if f"{name}`" not in known} <= _ELSEWHERE


@pytest.mark.parametrize("page", HAND_WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_that_a_page_shows_exists(page: Path) -> None:
    sections = _sections()
    for line in re.findall(r"^\$? ?(verihub [a-z].*)$", page.read_text(), re.MULTILINE):
        words = line.split(" #")[0].split()
        name = next((name for name in (" ".join(words[1:3]), words[1]) if name in sections), None)
        assert name is not None, line
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", line.split(" #")[0]):
            assert option in _ANYWHERE or re.search(rf"{option}\b", sections[name]), f"{line}: {option}"


TOP_LEVEL = (
    "schemas",
    "sandbox",
    "hub_client",
    "hub_server",
    "trainer_bridge",
    "migrations",
    "tests",
    "docs",
    "scripts",
)


@pytest.mark.parametrize(
    "page", [*HAND_WRITTEN, ROOT / "CONTRIBUTING.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_every_place_in_the_tree_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(rf"`((?:{'|'.join(TOP_LEVEL)})/[a-z0-9_./-]*(?:\.[a-z]+|/))`", page.read_text())
    gone = {name for name in named if not (ROOT / name).exists()} - _PATTERNS
    assert gone == set()


_PATTERNS = {"tests/a/b/test_c.py"}
_ELSEWHERE = {"VERIHUB_SOURCE", "VERIHUB_TEST_REQUIRE", "VERIHUB_ADAPTER_ENVIRONMENTS", "VERIHUB_TEST_UPDATE"}
_ANYWHERE = {"--format", "--offline", "--url", "--trust-build", "--quiet", "--version"}


@cache
def _sections() -> dict[str, str]:
    """The reference of each command, by its name."""
    page = (DOCS / "reference" / "commands.md").read_text()
    return {part.split("\n")[0]: part for part in page.split("### verihub ")[1:]}
