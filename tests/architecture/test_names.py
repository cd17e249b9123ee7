"""Names that say nothing, and machine paths, stay out of the tree."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge", "migrations"]
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
BESIDE = sorted(path for folder in ("scripts", "tests") for path in (ROOT / folder).rglob("*.py"))
"""Modules outside of the packages. The collection is left out: its names are in releases, which never change."""
VAGUE_MODULES = {"utils", "util", "common", "misc", "helpers", "helper", "core", "manager", "tools_", "stuff", "shared"}
NAMED_FOR_ACTS = {"attempts", "probes", "migrations"}
NOUNS_IN_ING = {"wiring", "wording", "blocking", "sampling", "standing"}
"""Nouns and adjectives that end as an act does."""
STORIES = "test_"
"""A file of tests that mirrors no module is named for what is tested, which may be an act."""
VAGUE_CLASS = re.compile(r"^class (\w+(?:Manager|Handler|Processor|Impl|Helper|Util|Utils))\b", re.MULTILINE)


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [str(path.relative_to(ROOT)) for path in (*MODULES, *BESIDE) if path.stem in VAGUE_MODULES] == []


def test_a_module_is_named_for_the_thing_it_holds_and_not_for_an_act() -> None:
    modules = [*MODULES, *(path for path in BESIDE if not path.stem.startswith(STORIES))]
    stems = {path.stem for path in modules if not NAMED_FOR_ACTS & set(path.parts)}
    assert {stem for stem in stems if stem.endswith("ing")} - NOUNS_IN_ING == set()


def test_no_class_has_a_name_that_says_nothing() -> None:
    found = {str(path.relative_to(ROOT)): VAGUE_CLASS.findall(path.read_text()) for path in MODULES}
    assert {path: names for path, names in found.items() if names} == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(p.relative_to(ROOT))
        for p in MODULES
        if p.read_text().strip() and not p.read_text().startswith(('"""', "#!", 'r"""'))
    ]
    assert silent == []


def _tracked() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    return listing.stdout.splitlines()


@pytest.mark.parametrize(
    "pattern", [r"(^|[^A-Za-z0-9_.])/(work|farm|root)/", r"files\.pythonhosted\.org|docker\.io/library|pypi\.org"]
)
def test_no_path_of_a_machine_and_no_registry_host_is_named(pattern: str) -> None:
    banned = re.compile(pattern)
    files = [
        ROOT / name
        for name in _tracked()
        if name.endswith((".py", ".md", ".toml", ".sh", ".html")) or name.startswith("scripts/")
    ]
    here = Path(__file__)
    guilty = [
        str(f.relative_to(ROOT))
        for f in files
        if f.is_file() and f != here and banned.search(f.read_text(errors="replace"))
    ]
    assert guilty == []


SAME_THING = {
    "ConflictError": "the hub's refusal, on both ends of HTTP",
    "NotFoundError": "the hub's refusal, on both ends of HTTP",
    "SolutionRequest": "one request, as the guest writes it (standard library only) and as the host reads it",
}
"""Classes that share a name on purpose, with the reason."""


def _public_classes() -> dict[str, list[str]]:
    """Where each name of a public class is defined; an interface (a Protocol) may be named as what it stands for."""
    found: dict[str, set[str]] = {}
    for path in MODULES:
        if NAMED_FOR_ACTS & set(path.parts) or "starters" in path.parts:
            continue
        for name, bases in re.findall(r"^class ([A-Z]\w*)(?:\[.*?\])?(?:\((.*)\))?:", path.read_text(), re.MULTILINE):
            if "Protocol" not in bases:
                found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return {name: sorted(paths) for name, paths in found.items()}


def test_one_name_of_a_class_means_one_thing() -> None:
    twice = {name: paths for name, paths in _public_classes().items() if len(paths) > 1}
    assert {name: paths for name, paths in twice.items() if name not in SAME_THING} == {}
    assert set(SAME_THING) <= set(twice), "a reason for a name that is there once"
