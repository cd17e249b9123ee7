"""What a user changed in an imported project, and how an update keeps it."""

import hashlib
import itertools
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tomlkit

from hub_client.errors import CheckFailedError, ConflictError
from hub_client.imports.cases import MADE
from schemas.strict_json import parse_json
from schemas.strict_toml import parse_toml

CHANGED = "changed"
"""The folder of a project, beside the package and not packed, with a user's files as they were before an update."""
WROTE = "wrote"
"""The table below ``[tool.verihub.imported]``: path -> the digest of what the import wrote there."""
_CASES = "audit.jsonl"
_PROJECT = "pyproject.toml"


@dataclass(frozen=True)
class OwnChanges:
    """``files``: path -> a file that is no longer as the import wrote it. ``cases``: rows of ``audit.jsonl`` that no
    import wrote, each with the question that it answers, and ``audit``: further files of cases that the manifest names.
    ``folder``: where the files are kept, ``untouched``: paths of those that are as the import wrote them.
    """

    folder: str = CHANGED
    files: Mapping[str, bytes] = field(default_factory=dict)
    cases: Sequence[Mapping[str, Any]] = ()
    audit: Sequence[str] = ()
    untouched: Sequence[str] = ()

    def kept_files(self) -> dict[str, bytes]:
        """The same files, in a folder that names the version to which they belonged."""
        return {f"{self.folder}/{path}": data for path, data in self.files.items()}

    def with_overwritten(self, target: Path, new: Mapping[str, bytes]) -> "OwnChanges":
        """With the user's files in whose place a file of ``new`` comes that no earlier version of the source had."""
        known = {*self.files, *self.untouched}
        there = {path: _read(target, path) for path in new if path not in known}
        met = {path: data for path, data in there.items() if data is not None and data != new[path]}
        return replace(self, files={**self.files, **met})

    def cases_for(self, splits: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
        """Those cases whose task is still the same one; the others would judge answers to another question."""
        tasks = {str(task["id"]): task for rows in splits.values() for task in rows}
        return [
            dict(own["case"])
            for own in self.cases
            if own["before"] == _question(tasks.get(str(own["case"].get("task_id"))))
        ]


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Path -> what an unchanged file gives again. The version in pyproject.toml is the user's to raise."""
    return {path: _digest(path, data) for path, data in files.items()}


def own_changes(target: Path, package: str, version: str) -> OwnChanges:
    """What differs in the project ``target`` from what its import wrote; ``package``: the folder of its code.

    A project that was imported before digests were recorded counts as changed in every file that the import writes.
    """
    stated = parse_toml((target / _PROJECT).read_text(encoding="utf-8"))
    wrote = stated["tool"]["verihub"]["imported"].get(WROTE)
    known = wrote if isinstance(wrote, dict) else dict.fromkeys(_usual(target, package), "")
    read = {path: _read(target, path) for path in known if ".." not in path.split("/")}
    files = {path: data for path, data in read.items() if data is not None}
    changed = {path: data for path, data in files.items() if known[path] != _digest(path, data)}
    tasks = {path: data for path, data in files.items() if path.endswith(".jsonl") and not path.endswith(f"/{_CASES}")}
    return OwnChanges(
        _free_folder(target, version),
        changed,
        _own_cases(f"{package}/{_CASES}", files.get(f"{package}/{_CASES}", b""), tasks),
        _own_audit(files.get(f"{package}/verihub.toml", b""), target / package),
        tuple(files.keys() - changed.keys()),
    )


def with_audit(manifest: str, audit: Sequence[str]) -> str:
    """The manifest, with these files of cases named too."""
    table = tomlkit.parse(manifest)
    table["audit"] = [*table.get("audit", []), *audit]
    return tomlkit.dumps(table)


def _usual(target: Path, package: str) -> list[str]:
    rows = [f"{package}/{path.name}" for path in (target / package).glob("*.jsonl")]
    return [_PROJECT, "README.md", f"{package}/__init__.py", f"{package}/verihub.toml", *rows]


def _free_folder(target: Path, version: str) -> str:
    """``changed/1.0.0``, or ``changed/1.0.0-2`` where that is taken: a version can come twice, and its files stay."""
    names = (f"{CHANGED}/{version}{f'-{count}' if count > 1 else ''}" for count in itertools.count(1))
    return next(name for name in names if not os.path.lexists(target / name))


def _read(target: Path, path: str) -> bytes | None:
    """The file's bytes; None where there is none. Raises :class:`ConflictError` for a link to nothing or out of
    ``target``: what it leads to is not read, and the link would be lost.
    """
    file = target / path
    if file.is_symlink() and not (file.exists() and file.resolve().is_relative_to(target.resolve())):
        raise ConflictError(f"{file} is a link that leads out of the project, or to nothing: move it away")
    if not file.is_file() or not file.resolve().is_relative_to(target.resolve()):
        return None
    return file.read_bytes()


def _digest(path: str, data: bytes) -> str:
    if path == _PROJECT:
        table = parse_toml(data.decode())
        table["project"].pop("version", None)
        table["tool"]["verihub"]["imported"].pop(WROTE, None)
        data = json.dumps(table, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def _rows(path: str, data: bytes) -> list[dict[str, Any]]:
    """Only a line feed ends a row: other line separators of Unicode stand inside of texts."""
    rows = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                row = parse_json(line)
                json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair is JSON, and no text
            except ValueError as error:
                raise CheckFailedError(
                    f"{path}, line {number}, is no JSON, so an update would lose it: {error}"
                ) from None
            if not isinstance(row, dict):
                raise CheckFailedError(f"{path}, line {number}, is no JSON object, so an update would lose it")
            rows.append(row)
    return rows


def _own_cases(path: str, written: bytes, stored: Mapping[str, bytes]) -> list[dict[str, Any]]:
    """Rows that no import wrote, each with the question that it belongs to. ``stored``: files of tasks."""
    tasks = {str(task.get("id")): task for name, data in stored.items() for task in _rows(name, data)}
    own = [row for row in _rows(path, written) if row.get("source") != MADE]
    return [{"case": row, "before": _question(tasks.get(str(row.get("task_id"))))} for row in own]


def _question(task: Mapping[str, Any] | None) -> str:
    """What makes two tasks the same one; empty for a case that brings its own task, or whose task is not stored."""
    return json.dumps([task.get(key) for key in ("prompt", "answer", "info")], sort_keys=True) if task else ""


def _own_audit(written: bytes, package: Path) -> list[str]:
    try:
        named = parse_toml(written.decode()).get("audit", []) if written else []
    except ValueError as error:
        raise CheckFailedError(f"{package}/verihub.toml cannot be read, so its cases would be lost: {error}") from None
    names = named if isinstance(named, list) else []
    return [name for name in names if name != _CASES and isinstance(name, str) and (package / name).is_file()]
