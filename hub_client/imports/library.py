"""A Python library, read from its wheel and never run: its files, its licence, and what a module of it imports."""

import ast
import email
import functools
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from email.message import Message
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hub_client.errors import CheckFailedError
from hub_client.imports.draft import ImportRefusedError, Needs
from hub_client.imports.modules import Modules
from hub_client.releases.cache import Cache
from hub_client.releases.dependencies import lock_alone, lock_dependencies, lock_what_can_be_built
from hub_client.releases.unused_dependencies import needed_names
from schemas.wheels.box_python import DEFAULT_PYTHON
from schemas.wheels.requirements import LockedRequirement, box_markers

_LICENCES = {
    "apache": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "mit": "MIT",
    "mit license": "MIT",
    "bsd-3-clause": "BSD-3-Clause",
}
"""Licence as metadata before PEP 639 names it -> SPDX expression."""


class Library:
    """One distribution and all that it needs; the newest version unless ``specifier`` (``==1.2``) says otherwise.

    ``python``: the version of the boxes that will run it.
    """

    def __init__(self, name: str, cache: Cache, specifier: str = "", python: str = DEFAULT_PYTHON) -> None:
        self.name = canonicalize_name(name)
        self._cache = cache
        self._python = python
        self._alone = lock_alone(f"{name}{specifier}", cache, python)
        self.version = self._alone.version
        self._locks: dict[tuple[str, ...], Needs] = {}

    @functools.cached_property
    def _locked(self) -> dict[str, LockedRequirement]:
        """Distribution -> its lock, for those that a box can have."""
        return {item.name: item for item in self._resolved[0]}

    @property
    def _refused(self) -> dict[str, str]:
        """Distribution -> why a box cannot have it."""
        return self._resolved[1]

    @functools.cached_property
    def _resolved(self) -> tuple[list[LockedRequirement], dict[str, str]]:
        # With its version: pip would look for an older release that needs nothing native.
        return lock_what_can_be_built([f"{self.name}=={self.version}"], self._cache, self._python)

    @functools.cached_property
    def _wheels(self) -> dict[str, Path]:
        return {name: path for name, item in self._locked.items() if (path := _wheel(item, self._cache))}

    @functools.cached_property
    def files(self) -> dict[str, bytes]:
        """Path -> content of the library's own wheel."""
        path = _wheel(self._alone, self._cache)
        if path is None:
            raise CheckFailedError(f"the wheel of {self.name} has left the cache: try again")
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}

    @functools.cached_property
    def _metadata(self) -> Message:
        return email.message_from_bytes(next(data for path, data in self.files.items() if path.endswith("/METADATA")))

    @property
    def licence(self) -> str:
        """The SPDX expression, as far as the metadata says it; else empty."""
        if stated := self._metadata.get("License-Expression"):
            return str(stated)
        classifiers = (
            text.rpartition(" :: ")[2] for text in self._metadata.get_all("Classifier") or [] if "License" in text
        )
        said = [str(self._metadata.get("License", "")), *classifiers]
        known = {**_LICENCES, **{name.lower(): name for name in _LICENCES.values()}}
        return next((known[text.lower()] for text in said if text.lower() in known), "")

    @property
    def home(self) -> str:
        """The library's home page, else the first of its project URLs; empty without any."""
        addresses = [text.partition(", ")[2] for text in self._metadata.get_all("Project-URL") or []]
        return str(self._metadata.get("Home-Page") or next(iter(addresses), ""))

    @functools.cached_property
    def modules(self) -> Modules:
        """Dotted name -> syntax tree of each module. A package is named without ``__init__``."""
        return Modules(self.files)

    def is_package(self, module: str) -> bool:
        """Whether that module is a folder."""
        return f"{module.replace('.', '/')}/__init__.py" in self.files

    def imports(self, module: str, skipped: frozenset[str] = frozenset()) -> set[str]:
        """Top-level names of other libraries that ``module`` imports, itself or through this library's modules.

        ``skipped``: packages whose ``__init__`` is not run. Imports inside functions count too.
        """
        seen: set[str] = set()
        outside: set[str] = set()
        pending = [module]
        while pending:
            name = pending.pop()
            if name in seen or name in skipped:
                continue
            seen.add(name)
            if name in self.modules:
                pending += [name.rpartition(".")[0]] if "." in name else []
                pending += _imported(name, self.modules[name], is_package=self.is_package(name))
            elif name.partition(".")[0] not in self.modules:
                outside.add(name.partition(".")[0])
            elif "." in name:
                pending.append(name.rpartition(".")[0])  # a function or class of that module
        return outside - sys.stdlib_module_names - {""}

    def needs(self, imported: set[str]) -> Needs:
        """The lock for code that imports this library and, through it, the top-level names ``imported``.

        Raises :class:`ImportRefusedError` when one of them can be had as C source only.
        """
        wanted = {self._provider(name) for name in imported} - {self.name}
        for name in sorted(wanted & self._refused.keys()):
            raise ImportRefusedError(self._refused[name])
        # What those need themselves stays, even if it is a dependency of this library too that it does not import.
        without = sorted(self._direct - needed_names(wanted, self._wheels, (), self._python) - wanted)
        dependencies = [f"{self.name}=={self.version}"]
        kept = needed_names(dependencies, self._wheels, without, self._python)
        dependencies += [f"{name}=={self._locked[name].version}" for name in sorted(wanted - kept)]
        kept = needed_names(dependencies, self._wheels, without, self._python)
        return Needs(dependencies, without, [self._locked[name] for name in sorted(kept)])

    def needs_nothing_else(self) -> Needs:
        """The lock for code that needs only this library's own wheel. Its dependencies are not looked up."""
        return Needs([f"{self.name}=={self.version}"], sorted(self._direct), [self._alone])

    def needs_alone(self, distribution: str) -> Needs:
        """The lock for code that needs this library's own wheel and one dependency of it, which itself needs nothing.

        Nothing else is looked up, where :meth:`needs_only` lets pip fetch everything once: gigabytes, for some.
        """
        name = canonicalize_name(distribution)
        stated = map(Requirement, self._metadata.get_all("Requires-Dist") or [])
        asked = next(f"{item.name}{item.specifier}" for item in stated if canonicalize_name(item.name) == name)
        plain = self.needs_nothing_else()
        lock = [*plain.lock, lock_alone(asked, self._cache, self._python)]
        return Needs(plain.dependencies, sorted(self._direct - {name}), sorted(lock, key=lambda item: item.name))

    def needs_only(self, distributions: Iterable[str]) -> Needs:
        """The lock for code that runs ``distributions`` of the library's dependencies; the rest is not looked up.

        Resolved once for each choice: a list of two hundred games asks for the same again and again.
        """
        without = tuple(sorted(self._direct - set(map(canonicalize_name, distributions))))
        if without not in self._locks:
            dependencies = [f"{self.name}=={self.version}"]
            self._locks[without] = Needs(
                dependencies, without, lock_dependencies(dependencies, self._cache, self._python, without=without)
            )
        return self._locks[without]

    def needs_without(self, left_out: Iterable[str], also: Iterable[str] = ()) -> Needs:
        """The lock for code that runs all but ``left_out`` of the library's dependencies, and ``also`` some others."""
        without = sorted(self._direct & set(map(canonicalize_name, left_out)))
        dependencies = [f"{self.name}=={self.version}", *also]
        return Needs(dependencies, without, lock_dependencies(dependencies, self._cache, self._python, without=without))

    @property
    def _direct(self) -> set[str]:
        """Distributions that it depends on in a box."""
        stated = map(Requirement, self._metadata.get_all("Requires-Dist") or [])
        markers = box_markers(self._python)
        return {canonicalize_name(item.name) for item in stated if not item.marker or item.marker.evaluate(markers)}

    @functools.cached_property
    def _providers(self) -> dict[str, str]:
        """Top-level name -> the distribution in which it lies."""
        found = {}
        for name, path in self._wheels.items():
            with zipfile.ZipFile(path) as archive:
                found.update({re.split(r"[/.]", entry, maxsplit=1)[0]: name for entry in archive.namelist()})
        return found

    def _provider(self, top: str) -> str:
        """The distribution in which the top-level name ``top`` lies."""
        if top in self._providers:
            return self._providers[top]
        if canonicalize_name(top) in self._refused:
            return canonicalize_name(top)
        raise ImportRefusedError(f"{self.name} imports {top}, which none of its dependencies brings")


def _wheel(item: LockedRequirement, cache: Cache) -> Path | None:
    return next(filter(None, map(cache.find_wheel, item.digests)), None)


def _imported(module: str, tree: ast.Module, *, is_package: bool) -> Iterator[str]:
    """Every module, or name in a module, that ``module`` imports, absolute."""
    home = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = home[: len(home) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
