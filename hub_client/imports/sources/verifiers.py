"""An environment written for ``verifiers``, from pip's index or a folder. Its own code scores, without the library."""

import email
import functools
import hashlib
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
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
from schemas.wheels.requirements import box_markers

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

_PLAYED = (
    "The state of an episode is the list of the model's messages; the verifier plays them again from the same random "
    "numbers, and the rubric judges the state that comes of it. A right case is one message with the answer."
)


class Verifiers:
    """One package: ``where`` is a folder with a ``pyproject.toml``, or the name that pip knows."""

    def __init__(self, request: Request) -> None:
        self._request = request

    @functools.cached_property
    def _package(self) -> "_Folder | _Wheel | _Indexed":
        where = self._request.where
        if not where:
            raise UsageError("name a package or a folder: `verihub import verifiers:my_environment OWNER/NAME`")
        if Path(where).is_dir():
            return _Folder(Path(where))
        if where.endswith(".whl") and Path(where).is_file():
            return _Wheel(Path(where))
        if "/" in where or where.endswith(".whl"):
            raise NotFoundError(f"{where} is no folder and no wheel; a package of pip's index is named without a slash")
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
        arguments = dict(self._request.arguments)
        origin = Provenance(f"verifiers:{item}", package.version, licence, package.home, arguments)
        words = {"MODULE": package.module, "ARGUMENTS": repr(arguments)}
        first = Draft(
            origin,
            summary=package.summary or f"The environment {package.module} of verifiers",
            code=_code(words, None, ["score"], turns=False) + "\n\ngenerate = describe\n",
            rewards={"score": {}},
            needs=package.needs(self._request.cache),
            generates=True,
            files={
                **{path: code_of(template, _WORDS).encode() for path, template in _STANDS_IN.items()},
                **{f"environment/{path}": data for path, data in package.copied.items()},
            },
            memory_mb=1024,
            timeout_seconds=60.0,
        )
        return replace(first, then=functools.partial(_complete, first, words))


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
        return _needs(self._project.get("dependencies", []), self.copied, cache, f"{self._place}/pyproject.toml")


class _Wheel:
    """A wheel of the author's, whose files are copied into the project."""

    def __init__(self, place: Path) -> None:
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

    def needs(self, cache: Cache) -> Needs:
        """What its metadata name without an extra, but for verifiers and datasets."""
        return _needs(self._stated.get_all("Requires-Dist") or [], self.copied, cache, "its metadata")


def _entries(archive: zipfile.ZipFile, place: Path) -> list[zipfile.ZipInfo]:
    """The files of a wheel that may be written below the project."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if any(entry.filename.startswith("/") or ".." in entry.filename.split("/") for entry in entries):
        raise UsageError(f"{place} has files outside of itself")
    if sum(entry.file_size for entry in entries) > _LARGEST:
        raise ImportRefusedError(f"{place} holds over {_LARGEST >> 20} MB")
    return entries


def _needs(stated: Sequence[str], files: Mapping[str, bytes], cache: Cache, where: str) -> Needs:
    """``stated`` in a box, but for verifiers and datasets, with what the code gets through those."""
    try:
        read = [Requirement(text) for text in stated]
    except InvalidRequirement as error:
        raise UsageError(f"{where}: {error}") from None
    read = [item for item in read if not item.marker or item.marker.evaluate(box_markers())]
    kept = [str(item) for item in read if canonicalize_name(item.name) not in _LEFT_OUT]
    kept += [name for name in _also(files) if name not in {canonicalize_name(item.name) for item in read}]
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
    code = b"".join(data for path, data in files.items() if path.endswith(".py"))
    through = {"pydantic": (b"pydantic", b"verifiers.v1"), "math-verify": (b"MathRubric", b"math_verify")}
    return [name for name, signs in through.items() if any(sign in code for sign in signs)]


def _code(words: Mapping[str, str], form: str | None, names: Iterable[str], *, turns: bool) -> str:
    own = {"FORM": repr(form), "NAMES": repr(list(names)), "TURNS": repr(turns)}
    return code_of("verifiers", {**words, **own})


def _complete(first: Draft, words: Mapping[str, str], told: Mapping[str, Any]) -> Draft:
    """``first`` with the rewards that the environment's code told in a box."""
    found = read_told(told)
    length = f"It has {found.tasks} tasks. Train begins again at its end, in another order."
    return replace(
        first,
        code=_code(words, found.form, found.rewards, turns=found.turns),
        rewards=declared(found, "a reward function of the environment"),
        response="{answer}" if found.turns else found.form or "{answer}",
        session=found.turns,
        tags=["multi-turn" if found.turns else "single-turn"],
        notes=[_AS_IS, _ACCEPTED, *([_PLAYED] if found.turns else []), length, told_form(found.form)],
        then=None,
    )
