"""An environment written for ``verifiers``, from pip's index or a folder. Its own code scores, without the library."""

import functools
import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from hub_client.errors import NotFoundError, UsageError
from hub_client.imports.draft import Draft, ImportRefusedError, Item, Needs, Provenance
from hub_client.imports.library import Library
from hub_client.imports.registry import Request
from hub_client.imports.source import code_of
from hub_client.imports.told import declared, read_told, told_form
from hub_client.releases.cache import Cache
from hub_client.releases.dependencies import lock_dependencies

_STANDS_IN = {
    "_verifiers/verifiers/__init__.py": "verifiers_classic",
    "_verifiers/verifiers/v1.py": "verifiers_v1",
    "_verifiers/datasets/__init__.py": "datasets",
}
"""Path in the package -> the template of what is imported in place of a library."""
_WORDS = {
    "HOST": "verifiers",
    "ROWS": "environment/rows",
    "HINT": " in the environment's folder, and import the folder",
}
_LEFT_OUT = ("verifiers", "datasets")
_PASSED_OVER = {"__pycache__", "node_modules", "outputs", "tests"}
_LARGEST = 64 << 20
"""Bytes of a folder, as a release takes no more."""
_AS_IS = (
    "The environment's own code scores. What it takes of verifiers and datasets is in `_verifiers`, written anew: the "
    "libraries are not installed. A reward function that raises gives no verdict, where verifiers counts 0."
)
_ACCEPTED = (
    "verifiers knows numbers and no right or wrong. A response counts as accepted when the reward with the largest "
    "weight reaches its highest value. Rewards with the weight 0 are metrics."
)


class Verifiers:
    """One package: ``where`` is a folder with a ``pyproject.toml``, or the name that pip knows."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def _package(self) -> "_Folder | _Indexed":
        where = self._request.where
        if not where:
            raise UsageError("name a package or a folder: `verihub import verifiers:my_environment OWNER/NAME`")
        if Path(where).is_dir():
            return _Folder(Path(where))
        if "/" in where or where.endswith(".whl"):
            raise NotFoundError(f"{where} is no folder; a package of pip's index is named without a slash")
        return _Indexed(where, self._request)

    def items(self) -> list[Item]:
        """The one that was named. Whether it can be imported is only known after its code ran in a box."""
        return [Item(self._request.where, f"version {self._package.version}, module {self._package.module}")]

    def draft(self, item: str) -> Draft:
        """A first draft, which asks the environment's code for its rewards in a box."""
        package = self._package
        licence = self._request.licence or package.licence
        if not licence:
            raise UsageError(f"{item} does not say its licence, since all on a hub is public: give it with --licence")
        origin = Provenance(f"verifiers:{item}", package.version, licence, package.home)
        first = Draft(
            origin,
            summary=package.summary or f"The environment {package.module} of verifiers",
            code=_code(package.module, None, ["score"]) + "\n\ngenerate = describe\n",
            rewards={"score": {}},
            needs=package.needs(self._request.cache),
            generates=True,
            files={
                **{path: code_of(template, _WORDS).encode() for path, template in _STANDS_IN.items()},
                **{f"environment/{path}": data for path, data in package.copied.items()},
            },
            tags=["single-turn"],
            memory_mb=1024,
            timeout_seconds=60.0,
        )
        return replace(first, then=functools.partial(_complete, first, package.module))


class _Folder:
    """A folder of the author's, whose files are copied into the project."""

    home = ""

    def __init__(self, place: Path) -> None:
        self._place = place
        path = place / "pyproject.toml"
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        except ValueError as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        self._project: Mapping[str, Any] = table.get("project", {})
        self.module = str(self._project.get("name") or place.resolve().name).replace("-", "_")
        self.summary = str(self._project.get("description", ""))
        stated = self._project.get("license", "")
        self.licence = stated if isinstance(stated, str) else str(stated.get("text", ""))

    @functools.cached_property
    def copied(self) -> dict[str, bytes]:
        """Path -> content, so that the module can be imported from the top."""
        root = self._place / "src" if (self._place / "src").is_dir() else self._place
        if not (root / self.module).is_dir() and not (root / f"{self.module}.py").is_file():
            raise NotFoundError(f"{root} has no module {self.module}, as its pyproject.toml calls it")
        roots = [root] if root == self._place else [root, self._place / "rows"]
        found: dict[str, bytes] = {}
        for path in sorted(path for each in roots for path in each.rglob("*")):
            base = self._place if root not in path.parents else root
            inside = path.relative_to(base)
            hidden = any(part.startswith(".") or part in _PASSED_OVER for part in inside.parts)
            if path.is_file() and not path.is_symlink() and not hidden:
                found[inside.as_posix()] = path.read_bytes()
        if sum(map(len, found.values())) > _LARGEST:
            raise ImportRefusedError(f"{self._place} holds over {_LARGEST >> 20} MB")
        return found

    @functools.cached_property
    def version(self) -> str:
        """The stated version, and a digest, since a folder changes without a new version."""
        whole = hashlib.sha256()
        for path, data in self.copied.items():
            whole.update(f"{path}\0{len(data)}\0".encode() + data)
        return f"{self._project.get('version', '0')}+sha256.{whole.hexdigest()[:12]}"

    def needs(self, cache: Cache) -> Needs:
        """What the ``pyproject.toml`` names, but for verifiers and datasets."""
        try:
            stated = [Requirement(text) for text in self._project.get("dependencies", [])]
        except InvalidRequirement as error:
            raise UsageError(f"{self._place}/pyproject.toml: {error}") from None
        kept = [str(item) for item in stated if canonicalize_name(item.name) not in _LEFT_OUT]
        kept += [name for name in _also(self.copied) if name not in {canonicalize_name(item.name) for item in stated}]
        return Needs(kept, (), lock_dependencies(kept, cache) if kept else ())


class _Indexed:
    """A package of pip's index, which becomes a dependency."""

    summary = ""
    copied: Mapping[str, bytes] = {}

    def __init__(self, name: str, request: Request) -> None:
        self._library = Library(name, request.cache, request.version and f"=={request.version}")
        self.version, self.licence, self.home = self._library.version, self._library.licence, self._library.home
        self.module = self._library.name.replace("-", "_")
        if self.module not in self._library.modules:
            raise ImportRefusedError(f"the package {name} has no module {self.module}, as verifiers calls environments")

    def needs(self, _cache: Cache) -> Needs:
        """All that it depends on, but for verifiers and datasets."""
        return self._library.needs_without(_LEFT_OUT, _also(self._library.files))


def _also(files: Mapping[str, bytes]) -> list[str]:
    """What an environment gets through verifiers without naming it."""
    code = [data for path, data in files.items() if path.endswith(".py")]
    return ["pydantic"] if any(b"pydantic" in data or b"verifiers.v1" in data for data in code) else []


def _code(module: str, form: str | None, names: Iterable[str]) -> str:
    return code_of("verifiers", {"MODULE": module, "FORM": repr(form), "NAMES": repr(list(names))})


def _complete(first: Draft, module: str, told: Mapping[str, Any]) -> Draft:
    """``first`` with the rewards that the environment's code told in a box."""
    found = read_told(told)
    length = f"It has {found.tasks} tasks. Train begins again at its end, in another order."
    return replace(
        first,
        code=_code(module, found.form, found.rewards),
        rewards=declared(found, "a reward function of the environment"),
        response=found.form or "{answer}",
        notes=[_AS_IS, _ACCEPTED, length, told_form(found.form)],
        then=None,
    )
