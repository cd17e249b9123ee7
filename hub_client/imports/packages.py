"""The package that the user names: a folder or a wheel, which is copied, or a package of pip's index."""

import email
import functools
import hashlib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from hub_client.errors import NotFoundError, UsageError
from hub_client.imports.draft import ImportRefusedError, Needs
from hub_client.imports.library import Library
from hub_client.imports.registry import Request
from hub_client.releases.cache import Cache
from hub_client.releases.dependencies import lock_dependencies
from schemas.strict_toml import parse_toml
from schemas.wheels.requirements import box_markers

_PASSED_OVER = {"__pycache__", "node_modules", "outputs", "tests"}
_LARGEST = 64 << 20
"""The most bytes of a folder: a release takes no more."""


@dataclass(frozen=True)
class BoxNeeds:
    """Which of a package's dependencies a box gets."""

    left_out: Sequence[str]
    """Distributions that code in the project replaces."""
    also: Callable[[Mapping[str, bytes]], list[str]] = lambda _: []
    """Finds distributions that files (path -> content) use although they do not declare them."""
    without: Sequence[str] = ()
    """Distributions that dependencies ask for and that no code here runs."""


def open_package(request: Request, source: str, runs: BoxNeeds) -> "FolderPackage | WheelPackage | IndexPackage":
    """What ``request.where`` names: a folder, a wheel, or a package of pip's index."""
    where = request.where
    if not where:
        raise UsageError(f"name a package or a folder: `verihub import {source}:my_environment OWNER/NAME`")
    if Path(where).is_dir():
        return FolderPackage(Path(where), runs)
    if where.endswith(".whl") and Path(where).is_file():
        return WheelPackage(Path(where), runs)
    if Path(where).name != where or where.endswith(".whl"):
        raise NotFoundError(f"{where} is no folder and no wheel; a package of pip's index is named without a slash")
    return IndexPackage(where, request, runs)


class FolderPackage:
    """A folder of the author's, whose files are copied into the project."""

    home = ""

    def __init__(self, place: Path, runs: BoxNeeds) -> None:
        self._place, self._runs = place, runs
        path = place / "pyproject.toml"
        try:
            table = parse_toml(path.read_text(encoding="utf-8")) if path.is_file() else {}
        except ValueError as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        stated = table.get("project", {})
        self._project: Mapping[str, Any] = stated if isinstance(stated, dict) else {}
        self.module = str(self._project.get("name") or place.resolve().name).replace("-", "_")
        self.summary = str(self._project.get("description", ""))
        licence = self._project.get("license", "")
        self.licence = str(licence.get("text", "") if isinstance(licence, dict) else licence)

    @functools.cached_property
    def copied(self) -> dict[str, bytes]:
        """Path -> content, so that the module can be imported from the top. Links are skipped.

        Otherwise a stranger's folder could link to the user's own files, which would then be published.
        """
        source, rows = (self._place / name for name in ("src", "rows"))
        root = source if source.is_dir() and not source.is_symlink() else self._place
        roots = [root] if root == self._place or rows.is_symlink() else [root, rows]
        found: dict[str, bytes] = {}
        size = 0
        for path in sorted(path for each in roots for path in each.rglob("*")):
            base = self._place if root not in path.parents else root
            inside = path.relative_to(base)
            hidden = any(part.startswith(".") or part in _PASSED_OVER for part in inside.parts)
            if not path.is_file() or path.is_symlink() or hidden:
                continue
            size += path.stat().st_size
            if size > _LARGEST:
                raise ImportRefusedError(f"{self._place} holds over {_LARGEST >> 20} MB")
            found[inside.as_posix()] = path.read_bytes()
        return found

    def require_module(self) -> None:
        """Raise NotFoundError where no file gives the module that the project is called after."""
        if not {f"{self.module}.py", f"{self.module}/__init__.py"} & self.copied.keys():
            raise NotFoundError(f"{self._place} has no module {self.module}, as its pyproject.toml calls it")

    @functools.cached_property
    def version(self) -> str:
        """The stated version, and a digest, since a folder changes without a new version."""
        whole = hashlib.sha256()
        for path, data in self.copied.items():
            whole.update(f"{path}\0{len(data)}\0".encode() + data)
        return f"{self._project.get('version', '0')}+sha256.{whole.hexdigest()[:12]}"

    def needs(self, cache: Cache) -> Needs:
        """What the ``pyproject.toml`` names."""
        return _needs(
            self._project.get("dependencies", []), self.copied, cache, self._runs, f"{self._place}/pyproject.toml"
        )


class WheelPackage:
    """A wheel of the author's, whose files are copied into the project."""

    def __init__(self, place: Path, runs: BoxNeeds) -> None:
        self._runs = runs
        try:
            with zipfile.ZipFile(place) as archive:
                files = {entry.filename: archive.read(entry) for entry in _entries(archive, place)}
            name, said = next((path, data) for path, data in files.items() if path.endswith(".dist-info/METADATA"))
        except (OSError, StopIteration, zipfile.BadZipFile) as error:
            raise UsageError(f"{place} cannot be read as a wheel with metadata: {error}") from None
        info = name.partition("/")[0]
        self._stated = email.message_from_bytes(said)
        self.copied = {path: data for path, data in files.items() if not path.startswith(f"{info}/")}
        self.module = canonicalize_name(str(self._stated["Name"])).replace("-", "_")
        self.summary = str(self._stated.get("Summary", ""))
        self.home = str(self._stated.get("Home-Page") or "")
        self.licence = str(self._stated.get("License-Expression", ""))
        self.version = f"{self._stated['Version']}+sha256.{hashlib.sha256(place.read_bytes()).hexdigest()[:12]}"

    def require_module(self) -> None:
        """Raise NotFoundError where no file gives the module that the wheel is called after."""
        if not {f"{self.module}.py", f"{self.module}/__init__.py"} & self.copied.keys():
            raise NotFoundError(f"the wheel has no module {self.module}, as its metadata call it")

    def needs(self, cache: Cache) -> Needs:
        """What its metadata name without an extra."""
        return _needs(self._stated.get_all("Requires-Dist") or [], self.copied, cache, self._runs, "its metadata")


def _entries(archive: zipfile.ZipFile, place: Path) -> list[zipfile.ZipInfo]:
    """The files of a wheel that may be written below the project."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if any(entry.filename.startswith("/") or ".." in entry.filename.split("/") for entry in entries):
        raise UsageError(f"{place} names files outside of the project (a path with .. or a leading /): pack it again")
    if sum(entry.file_size for entry in entries) > _LARGEST:
        raise ImportRefusedError(f"{place} holds over {_LARGEST >> 20} MB")
    return entries


def _needs(stated: Sequence[str], files: Mapping[str, bytes], cache: Cache, runs: BoxNeeds, where: str) -> Needs:
    """The requirements ``stated``, without those that are left out, and with those that came through them."""
    try:
        read = [Requirement(text) for text in stated]
    except InvalidRequirement as error:
        raise UsageError(f"{where}: {error}") from None
    read = [item for item in read if not item.marker or item.marker.evaluate(box_markers())]
    kept = [str(item) for item in read if canonicalize_name(item.name) not in {*runs.left_out, *runs.without}]
    kept += [name for name in runs.also(files) if name not in {canonicalize_name(item.name) for item in read}]
    return Needs(kept, runs.without, lock_dependencies(kept, cache, without=runs.without) if kept else ())


class IndexPackage:
    """A package of pip's index, which becomes a dependency."""

    summary = ""
    copied: Mapping[str, bytes] = {}

    def __init__(self, name: str, request: Request, runs: BoxNeeds) -> None:
        self._runs = runs
        self._library = Library(name, request.cache, request.version and f"=={request.version}")
        self.version, self.licence, self.home = self._library.version, self._library.licence, self._library.home
        self.module = self._library.name.replace("-", "_")

    @property
    def files(self) -> Mapping[str, bytes]:
        """Path -> content of its wheel."""
        return self._library.files

    def require_module(self) -> None:
        """Raise :class:`ImportRefusedError` where it has no module of its name."""
        if self.module not in self._library.modules:
            raise ImportRefusedError(f"the package {self._library.name} has no module {self.module}")

    def needs(self, _cache: Cache) -> Needs:
        """All that it depends on."""
        return self._library.needs_without([*self._runs.left_out, *self._runs.without], self._runs.also(self.files))
