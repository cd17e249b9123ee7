"""Builds the files of a project's wheel without running any of the project's code.

Building a Python project normally calls its build backend, which is arbitrary code of the project's author. A package
of Verihub is plain files, so nothing has to be called: the wheel is the import package's folder, and the metadata in
``[project]``. Whoever needs another build backend passes ``--trust-build``.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.core import ProjectMetadata
from hatchling.metadata.spec import get_core_metadata_constructors
from hatchling.plugin.manager import PluginManager

from hub_client.errors import CheckFailedError
from hub_client.packaging.project import MAX_TEXT_BYTES, Project
from hub_client.packaging.project_files import ProjectFileError, is_plain, read_package_files
from hub_client.packaging.trusted_build import build_with_backend
from schemas.wheels.changelog import CHANGELOG_NAME
from schemas.wheels.wheel_metadata import TAG

_BACKEND = "hatchling.build"
_METADATA_VERSION = "2.4"
"""Version of the core metadata. It is fixed, so that a newer hatchling gives the same bytes."""
_WHEEL = f"Wheel-Version: 1.0\nGenerator: verihub\nRoot-Is-Purelib: true\nTag: {TAG}\n"
_ENTRY_POINTS = ("scripts", "gui-scripts", "entry-points")
_ADVICE = "`--trust-build` runs the project's own build backend on this machine, as you"


def build_files(project: Project, scratch: Path, *, trust_build: bool = False) -> dict[str, bytes]:
    """Path -> content of everything in the project's wheel but RECORD.

    ``trust_build``: a build that cannot be read off the files calls the project's build backend, in ``scratch``.

    Raises:
        CheckFailedError: with every fault that could be found at once.

    """
    faults = build_faults(project)
    if faults and trust_build:
        _package_files(project)  # Links and secrets are refused with any build backend.
        return build_with_backend(project.folder, project.pyproject, scratch)
    if faults:
        raise CheckFailedError("\n".join([*faults, f"  {_ADVICE}"]))
    inside = _changelog(project) | _package_files(project)
    package = {f"{project.manifest.import_name}/{name}": data for name, data in inside.items()}
    return package | _dist_info(project)


def build_faults(project: Project) -> list[str]:
    """Why the wheel cannot be built from the files alone: one sentence for each setting that needs a build backend."""
    table, system = project.pyproject["project"], project.pyproject.get("build-system", {})
    faults = []
    backend = system.get("build-backend", _BACKEND)
    if backend != _BACKEND or "backend-path" in system:
        where = " from the project's own folder" if "backend-path" in system else ""
        faults.append(
            f"pyproject.toml: the project is built with {backend}{where}, and a build backend may run any code, so it "
            f'is not called: write build-backend = "{_BACKEND}"'
        )
    if table.get("dynamic"):
        faults.append(
            f"pyproject.toml: dynamic = {table['dynamic']} is worked out by running code: write the values down"
        )
    faults += [
        f"pyproject.toml: [project.{name}] is not part of a package: remove it"
        for name in _ENTRY_POINTS
        if name in table
    ]
    return faults + [f"pyproject.toml: {setting} is not obeyed: {_RULE}" for setting in _hatch_settings(project)]


_PLACE = "be a file of at most 1 MiB that lies in the project, and must not be a link"


def _may_be_read(project: Path, path: Path) -> bool:
    return is_plain(project, path) and path.is_file() and path.stat().st_size <= MAX_TEXT_BYTES


def _changelog(project: Project) -> dict[str, bytes]:
    """The project's ``CHANGELOG.md``, which hubs show by release. It stands beside the README, as readers expect."""
    path = project.folder / CHANGELOG_NAME
    if not path.exists():
        return {}
    if not _may_be_read(project.folder, path):
        raise CheckFailedError(f"{CHANGELOG_NAME} must {_PLACE}")
    return {CHANGELOG_NAME: path.read_bytes()}


_RULE = "a wheel holds what lies in the import package's folder, and nothing else"


def _hatch_settings(project: Project) -> list[str]:
    """Settings of hatchling that would change the wheel, except the one that names the package."""
    build = _table(project.pyproject, "tool", "hatch", "build")
    wheel = _table(build, "targets", "wheel")
    shown = project.package_folder.relative_to(project.folder).as_posix()
    found = [f"[tool.hatch.build] {key}" for key in build if key != "targets"]
    found += [f"[tool.hatch.build.targets.wheel] {key}" for key in wheel if key != "packages"]
    if "hooks" in _table(project.pyproject, "tool", "hatch", "metadata"):
        found.append("[tool.hatch.metadata.hooks]")
    if wheel.get("packages", [shown]) != [shown]:
        found.append(f"packages = {wheel['packages']}")
    return found


def _table(table: Any, *names: str) -> dict[str, Any]:
    """The table of that path; empty where there is none."""
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _package_files(project: Project) -> dict[str, bytes]:
    try:
        return read_package_files(project.folder, project.package_folder, project.manifest.allow_files)
    except ProjectFileError as error:
        raise CheckFailedError("\n".join(error.faults)) from None


def _dist_info(project: Project) -> dict[str, bytes]:
    table = project.pyproject["project"]
    _check_table(project.folder, table)
    config = {"project": table, "tool": {"hatch": {"metadata": {"allow-direct-references": True}}}}
    metadata = ProjectMetadata(str(project.folder), PluginManager(), config)
    try:
        text = get_core_metadata_constructors()[_METADATA_VERSION](metadata)
        licences = {name: project.folder / name for name in metadata.core.license_files}
    except (ValueError, TypeError, OSError) as error:
        raise CheckFailedError(f"pyproject.toml: {error}") from None
    refused = [name for name, path in licences.items() if not _may_be_read(project.folder, path)]
    if refused:
        raise CheckFailedError(f"{', '.join(refused)}: a licence file must {_PLACE}")
    _refuse_missing_licences(project.folder, table.get("license-files"))
    folder = f"{metadata.core.name.replace('-', '_')}-{metadata.version}.dist-info"
    files = {f"{folder}/METADATA": text.encode(), f"{folder}/WHEEL": _WHEEL.encode()}
    return files | {f"{folder}/licenses/{name}": path.read_bytes() for name, path in licences.items()}


def _refuse_missing_licences(folder: Path, patterns: Any) -> None:
    """``license-files`` that names no file would publish the package without its licence's text, unnoticed."""
    named = patterns if isinstance(patterns, list) else []
    missing = [name for name in named if not _names_a_file(folder, name)]
    if missing:
        raise CheckFailedError(
            f"pyproject.toml: license-files names {', '.join(missing)}, and no such file is in {folder}: add the "
            "licence's text there, or remove the name"
        )


def _names_a_file(folder: Path, pattern: str) -> bool:
    relative = bool(pattern) and not Path(pattern).is_absolute()  # Path.glob takes no others
    return relative and any(path.is_file() for path in folder.glob(pattern))


def _check_table(folder: Path, table: dict[str, Any]) -> None:
    """Refuse, before reading, everything that hatchling would read from outside the project or from the environment."""
    faults = []
    if not isinstance(table.get("license", ""), str):
        faults.append('pyproject.toml: write the licence as an SPDX expression: license = "Apache-2.0"')
    readme = table.get("readme")
    named = readme.get("file") if isinstance(readme, dict) else readme
    if isinstance(named, str) and not _may_be_read(folder, folder / named):
        faults.append(f"pyproject.toml: readme = {named!r} must {_PLACE}")
    optional = table.get("optional-dependencies")
    if optional is not None:
        faults.append("pyproject.toml: [project.optional-dependencies] is not part of a package: remove it")
    dependencies = table.get("dependencies")
    for text in dependencies if isinstance(dependencies, list) else []:
        faults += _placeholder_faults(text)
    if faults:
        raise CheckFailedError("\n".join(faults))


def _placeholder_faults(dependency: object) -> list[str]:
    """Refuse ``{env:NAME}``, which hatchling would fill from the environment."""
    if isinstance(dependency, str) and re.search(r"[{}]", dependency):
        return [f"pyproject.toml: dependencies: {dependency!r} holds a placeholder: write the value down"]
    return []
