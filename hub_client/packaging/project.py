"""Reads a project folder before anything is built from it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_client.errors import CheckFailedError, NotFoundError
from hub_client.packaging.project_files import is_plain
from hub_client.packaging.replacement import undo_replacement
from schemas.manifest import Manifest, ManifestError
from schemas.names import distribution_name
from schemas.strict_toml import parse_toml
from schemas.wheels.wheel import MANIFEST_NAME

MAX_TEXT_BYTES = 2**20  # more than the reader of TOML takes is no project file


@dataclass(frozen=True)
class Project:
    """An author's project: where it is, its ``verihub.toml`` and its ``pyproject.toml``."""

    folder: Path
    manifest_path: Path
    manifest: Manifest
    pyproject: dict[str, Any]

    @property
    def package_folder(self) -> Path:
        """The import package's folder."""
        return self.manifest_path.parent

    @property
    def without(self) -> list[str]:
        """``[tool.verihub] without``: dependencies of its dependencies that the package does not use."""
        names = self.pyproject.get("tool", {}).get("verihub", {}).get("without", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise CheckFailedError(
                f'{self.folder / "pyproject.toml"}: [tool.verihub] without = ["name", …] is a list of names'
            )
        return names


def read_project(folder: Path) -> Project:
    """Read a project. Raises :class:`CheckFailedError` with what is missing or wrong and where; NotFoundError.

    An update that was killed in the middle is undone first.
    """
    if not folder.is_dir():
        raise NotFoundError(f"{folder} is not a folder: name the one that holds the package's pyproject.toml")
    undo_replacement(folder)
    pyproject = _read_pyproject(folder)
    manifest_path = _find_manifest(folder)
    try:
        manifest = Manifest.from_toml(_text(folder, manifest_path))
    except UnicodeDecodeError:
        raise CheckFailedError(f"{manifest_path} is not UTF-8: save the file as UTF-8") from None
    except ManifestError as error:
        raise CheckFailedError(str(error).replace("verihub.toml:", f"{manifest_path}:")) from None
    _check_names(manifest, manifest_path, pyproject)
    return Project(folder, manifest_path, manifest, pyproject)


def _read_pyproject(folder: Path) -> dict[str, Any]:
    path = folder / "pyproject.toml"
    try:
        table = parse_toml(_text(folder, path))
    except FileNotFoundError:
        raise CheckFailedError(
            f"{folder} has no pyproject.toml: a package is an ordinary Python project; `verihub init` writes one"
        ) from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise CheckFailedError(f"{path} is not valid TOML: {error}") from None
    if not all(isinstance(table.get(name, {}), dict) for name in ("project", "build-system", "tool")):
        raise CheckFailedError(f"{path}: [project], [build-system] and [tool] must be tables")
    if "name" not in table.get("project", {}):
        raise CheckFailedError(f'{path} has no name under [project]: write name = "owner-name"')
    return table


def _text(folder: Path, path: Path) -> str:
    """Read a small regular file of the project. A pipe would block for ever, and a device would fill the memory.

    A link is refused, as packing refuses it: its target is not part of the project, and error messages quote the text.
    """
    whole = folder.resolve()
    if not is_plain(whole, whole / path.relative_to(folder)):
        raise CheckFailedError(f"{path} is a link, or lies behind one: put a copy of the file there")
    if path.exists() and not (path.is_file() and path.stat().st_size <= MAX_TEXT_BYTES):
        raise CheckFailedError(f"{path} must be a file of at most 1 MiB")
    return path.read_text(encoding="utf-8")


def _find_manifest(folder: Path) -> Path:
    found = sorted([*folder.glob(f"src/*/{MANIFEST_NAME}"), *folder.glob(f"*/{MANIFEST_NAME}")])
    if len(found) == 1:
        return found[0]
    if not found:
        raise CheckFailedError(f"{folder} has no {MANIFEST_NAME} in src/<import name>/: `verihub init` writes one")
    raise CheckFailedError(f"{folder} holds several packages ({', '.join(map(str, found))}): one project, one package")


def _check_names(manifest: Manifest, manifest_path: Path, pyproject: dict[str, Any]) -> None:
    expected = distribution_name(manifest.id)
    name = pyproject["project"]["name"]
    faults = []
    if name != expected:
        faults.append(f'pyproject.toml: name = "{name}", but id = "{manifest.id}" needs name = "{expected}"')
    if manifest_path.parent.name != manifest.import_name:
        faults.append(f"{manifest_path.parent}: the import package must be called {manifest.import_name}")
    if faults:
        raise CheckFailedError("\n".join(faults))
