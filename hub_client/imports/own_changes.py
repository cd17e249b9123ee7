"""What a user changed in an imported project, and how an update keeps it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit

from hub_client.errors import CheckFailedError
from hub_client.imports.cases import MADE
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
    """

    version: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    cases: Sequence[Mapping[str, Any]] = ()
    audit: Sequence[str] = ()

    def kept_files(self) -> dict[str, bytes]:
        """The same files, in a folder that names the version to which they belonged."""
        return {f"{CHANGED}/{self.version}/{path}": data for path, data in self.files.items()}

    def cases_for(self, splits: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
        """Those cases whose task is still the same one; the others would judge answers to another question."""
        tasks = {task["id"]: task for rows in splits.values() for task in rows}
        return [
            dict(own["case"]) for own in self.cases if own["before"] == _question(tasks.get(own["case"].get("task_id")))
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
    there = {path: target / path for path in known if ".." not in path.split("/")}
    inside = {
        path: file for path, file in there.items() if file.is_file() and file.resolve().is_relative_to(target.resolve())
    }
    files = {path: file.read_bytes() for path, file in inside.items()}
    changed = {path: data for path, data in files.items() if known[path] != _digest(path, data)}
    cases = _own_cases(files.get(f"{package}/{_CASES}", b""), target / package)
    return OwnChanges(version, changed, cases, _own_audit(files.get(f"{package}/verihub.toml", b""), target / package))


def with_audit(manifest: str, audit: Sequence[str]) -> str:
    """The manifest, with these files of cases named too."""
    table = tomlkit.parse(manifest)
    table["audit"] = [*table.get("audit", []), *audit]
    return tomlkit.dumps(table)


def _usual(target: Path, package: str) -> list[str]:
    rows = [f"{package}/{path.name}" for path in (target / package).glob("*.jsonl")]
    return [_PROJECT, "README.md", f"{package}/__init__.py", f"{package}/verihub.toml", *rows]


def _digest(path: str, data: bytes) -> str:
    if path == _PROJECT:
        table = parse_toml(data.decode())
        table["project"].pop("version", None)
        table["tool"]["verihub"]["imported"].pop(WROTE, None)
        data = json.dumps(table, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def _rows(data: bytes) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in data.decode().splitlines() if line.strip()]
    except ValueError as error:
        raise CheckFailedError(
            f"a line of the project's rows is no JSON, so an update would lose it: {error}"
        ) from None


def _own_cases(written: bytes, package: Path) -> list[dict[str, Any]]:
    """Rows that no import wrote, each with the question that it belongs to."""
    tasks = {
        task.get("id"): task
        for path in package.glob("*.jsonl")
        if path.name != _CASES
        for task in _rows(path.read_bytes())
    }
    own = [row for row in _rows(written) if row.get("source") != MADE]
    return [{"case": row, "before": _question(tasks.get(row.get("task_id")))} for row in own]


def _question(task: Mapping[str, Any] | None) -> str:
    """What makes two tasks the same one; empty for a case that brings its own task, or whose task is not stored."""
    return json.dumps([task.get(key) for key in ("prompt", "answer", "info")], sort_keys=True) if task else ""


def _own_audit(written: bytes, package: Path) -> list[str]:
    named = parse_toml(written.decode()).get("audit", []) if written else []
    return [name for name in named if name != _CASES and isinstance(name, str) and (package / name).is_file()]
