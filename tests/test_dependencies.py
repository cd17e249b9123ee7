"""pyproject.toml names what the code imports, and what scripts/setup installs is within its bounds."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PACKAGES = ("schemas", "sandbox", "hub_client", "hub_server", "trainer_bridge", "migrations")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# What a package may lean on: the core, and the extras that its users install with it.
EXTRAS = {
    "schemas": ["parquet"],
    "sandbox": ["sandbox", "mcp", "ray"],
    "hub_client": ["sandbox", "mcp", "server", "adapters", "openenv", "inspect", "verifiers"],
    "hub_server": ["server", "postgres", "s3"],
    "migrations": ["server", "postgres"],
    "trainer_bridge": ["trainer", "lora", "vllm", "trackers"],
}
RUN_AS_TEXT = {"pip"}
"""What a script of ours imports that is run, as text, by another Python: sandbox/images/find_source.py."""
WITH_TORCH = {"triton"}
"""torch's builds for GPUs bring it."""
# Other projects' frameworks: whoever uses an adapter has the framework already.
BROUGHT_BY_THE_USER = {
    "trl",
    "transformers",
    "verl",
    "datasets",
    "torch",
    "nemo-gym",
    "skyrl-gym",
    "tinker-cookbook",
    "verifiers",
    "inspect-ai",
    "openenv",
}


def declared(names: list[str]) -> set[str]:
    """Distributions of the core and of the extras ``names``, with the extras that those include."""
    found = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    pending = list(names)
    while pending:
        for text in PROJECT["optional-dependencies"][pending.pop()]:
            requirement = Requirement(text)
            if requirement.name == "verihub":
                pending += requirement.extras
            found.add(canonicalize_name(requirement.name))
    return found


def imported(package: str) -> dict[str, str]:
    """Top-level module -> one file of ``package`` that imports it."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            else:
                continue
            found.update({name.split(".")[0]: str(path.relative_to(ROOT)) for name in names})
    return {name: path for name, path in found.items() if name not in sys.stdlib_module_names and name not in PACKAGES}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_direct_import_is_declared(package) -> None:
    known = declared(EXTRAS[package]) | (RUN_AS_TEXT if package == "sandbox" else set())
    known |= WITH_TORCH if package == "trainer_bridge" else set()
    known |= BROUGHT_BY_THE_USER if package == "hub_client" else set()
    homes = packages_distributions()
    missing = {
        module: path
        for module, path in imported(package).items()
        if not {canonicalize_name(home) for home in homes.get(module, [module])} & known
    }
    assert missing == {}


def test_what_setup_pins_is_what_pyproject_allows() -> None:
    pins = [Requirement(text) for text in re.findall(r'"([a-z]+==[\d.]+)"', (ROOT / "scripts" / "setup").read_text())]
    assert pins
    allowed = {
        Requirement(text).name: Requirement(text).specifier for text in PROJECT["optional-dependencies"]["trainer"]
    }
    for pin in pins:
        (version,) = (part.version for part in pin.specifier)
        assert allowed[pin.name].contains(version)
