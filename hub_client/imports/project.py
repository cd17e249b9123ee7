"""Writes the project of an imported package: pyproject.toml, README, verihub.toml, code, tasks and cases."""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

from hub_client.errors import ConflictError, NotFoundError
from hub_client.imports.defects import DEFECTS
from hub_client.imports.draft import Draft, ImportRefusedError
from hub_client.imports.own_changes import WROTE, OwnChanges, digests, with_audit
from hub_client.packaging.pack import render_lock
from hub_client.packaging.replacement import replace_files, undo_replacement
from schemas.names import canonical_version, check_package_id, distribution_name, import_name
from schemas.strict_toml import parse_toml
from schemas.wheels.requirements import LOCK_FILE_NAME

FIRST_VERSION = "1.0.0"
ROWS = "rows"
"""The folder beside the code with what a source would have fetched."""
_SCORER_SECONDS = 20.0
"""For one verdict, where drawing tasks may take longer."""


@dataclass(frozen=True)
class Recorded:
    """What ``[tool.verihub.imported]`` of a project says: where it came from, and as which package."""

    source: str
    version: str
    licence: str
    package: str
    package_version: str
    arguments: Mapping[str, Any]
    rows: Path | None
    """The rows that came along at the import. None where a link in a stranger's project leads to other files."""


def write_project(  # noqa: PLR0913 -- a project has so many parts
    target: Path,
    package_id: str,
    draft: Draft,
    *,
    version: str = FIRST_VERSION,
    splits: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    cases: Sequence[Mapping[str, Any]] = (),
    defects: Sequence[Mapping[str, Any]] = (),
    readme: str = "",
    over: bool = False,
    own: OwnChanges | None = None,
) -> tuple[str, ...]:
    """Write everything, or nothing. Returns where files of the user's are kept.

    ``splits`` are the stored tasks; without any, all splits are generated.
    ``defects``: cases that the verifier judges wrongly, for a file beside the package.

    ``over``: ``target`` is a project, whose files are replaced; files that are not written stay. ``own``: what its user
    changed in it, which is kept.

    Raises :class:`ConflictError` where ``target`` has something in it and is not to be written ``over``, and
    ImportRefusedError where a file would lie outside of the package: a source's rows name splits, and so files.
    """
    if not over and target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConflictError(f"{target} exists and is not empty: name another with --folder")
    package = f"src/{import_name(package_id)}"
    stored = splits or {}
    for path in (*(f"{split}.jsonl" for split in stored), *draft.files):
        _refuse_outside(path)
    files = {
        "pyproject.toml": _pyproject(package_id, draft, version),
        "README.md": readme or f"# {package_id}\n\n{draft.summary}\n",
        f"{package}/__init__.py": draft.code,
        f"{package}/verihub.toml": _manifest(package_id, draft, stored, has_cases=bool(cases)),
        **{f"{package}/{split}.jsonl": _lines(rows) for split, rows in stored.items()},
    }
    if own and own.audit:
        files[f"{package}/verihub.toml"] = with_audit(files[f"{package}/verihub.toml"], own.audit)
    if cases:
        files[f"{package}/audit.jsonl"] = _lines(cases)
    if defects or (over and (target / DEFECTS).is_file()):  # what an older version got wrong is no defect of this one
        files[DEFECTS] = _lines(defects)
    if draft.needs.lock:
        files[f"{package}/{LOCK_FILE_NAME}"] = render_lock(draft.needs.lock)
    whole = {path: text.encode() for path, text in files.items()}
    whole |= {f"{package}/{path}": data for path, data in draft.files.items()}
    whole["pyproject.toml"] = _with_digests(whole)
    kept = own.with_overwritten(target, whole).kept_files() if own else {}
    if over:
        # What an older version brought and this one does not: a lock that is left would be packed.
        gone = [path for path in own.untouched if path not in whole] if own else []
        replace_files(target, whole | kept, gone)
    else:
        _write_new(target, whole)
    return tuple(kept)


def _with_digests(files: Mapping[str, bytes]) -> bytes:
    """pyproject.toml, with what was written where: an update then knows what the user has changed since."""
    table = tomlkit.parse(files["pyproject.toml"].decode())
    table["tool"]["verihub"]["imported"][WROTE] = digests(files)
    return tomlkit.dumps(table).encode()


def _refuse_outside(path: str) -> None:
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise ImportRefusedError(f"{path!r} is no path of a file inside the package")


def _write_new(target: Path, files: Mapping[str, bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for path, data in files.items():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            (fresh / path).write_bytes(data)
        fresh.chmod(0o755)
        if target.exists():
            target.rmdir()
        fresh.replace(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def read_recorded(folder: Path) -> Recorded:
    """Where the project in ``folder`` came from. Raises NotFoundError when it was not imported."""
    if folder.is_dir():
        undo_replacement(folder)
    try:
        table = parse_toml((folder / "pyproject.toml").read_text(encoding="utf-8"))
        found = table["tool"]["verihub"]["imported"]
        source, version, licence, package = (_text(found[name]) for name in ("source", "version", "licence", "package"))
        rows = folder / "src" / import_name(check_package_id(package)) / ROWS
        return Recorded(
            source,
            version,
            licence,
            package,
            canonical_version(table["project"]["version"]),
            dict(found.get("arguments", {})),
            rows if rows.is_dir() and rows.resolve().is_relative_to(folder.resolve()) else None,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise NotFoundError(f"{folder} is no project that `verihub import` wrote") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is expected")
    return value


def _pyproject(package_id: str, draft: Draft, version: str) -> str:
    origin = {
        "source": draft.provenance.source,
        "version": draft.provenance.version,
        "licence": draft.provenance.licence,
        "package": package_id,
        **({"arguments": dict(draft.provenance.arguments)} if draft.provenance.arguments else {}),
    }
    verihub = {"without": list(draft.needs.without)} if draft.needs.without else {}
    return tomlkit.dumps(
        {
            "build-system": {"requires": ["hatchling"], "build-backend": "hatchling.build"},
            "project": {
                "name": distribution_name(package_id),
                "version": version,
                "description": draft.summary,
                "readme": "README.md",
                "license": draft.provenance.licence,
                "requires-python": draft.requires_python,
                "dependencies": list(draft.needs.dependencies),
            },
            "tool": {
                "hatch": {"build": {"targets": {"wheel": {"packages": [f"src/{import_name(package_id)}"]}}}},
                "verihub": {**verihub, "imported": origin},
            },
        }
    )


def _manifest(package_id: str, draft: Draft, stored: Mapping[str, object], *, has_cases: bool) -> str:
    module = import_name(package_id)
    splits = ("test",) if draft.evaluation else ("train", "test")
    generated = dict.fromkeys(splits, f"{module}:generate") if draft.generates else {}
    table: dict[str, Any] = {
        "format": 1,
        "id": package_id,
        "kind": "environment",
        "tasks": {**generated, **{split: f"{split}.jsonl" for split in stored}},
    }
    if draft.session:
        table["session"] = f"{module}:Session"
    table["verifier"] = f"{module}:verify"
    if has_cases:
        table["audit"] = ["audit.jsonl"]
    table["tags"] = list(dict.fromkeys(draft.tags))[:20]
    table["imported"] = {"source": draft.provenance.source[:300], "version": draft.provenance.version[:100]}
    table["rewards"] = {name: dict(reward) for name, reward in draft.rewards.items()}
    if draft.model:
        table["model"] = dict(draft.model)
    table["sandbox"] = {"isolation": "batch", **_limits(draft), "memory_mb": draft.memory_mb}
    return tomlkit.dumps(table)


def _limits(draft: Draft) -> dict[str, float]:
    """A generator may need long, and a scorer that hangs on an answer takes all of its limit each time: with two
    minutes, an audit took a quarter of an hour for seven such answers. An episode may be played again in one call.
    """
    if not draft.generates or draft.session or draft.timeout_seconds <= _SCORER_SECONDS:
        return {"timeout_seconds": draft.timeout_seconds}
    return {"timeout_seconds": _SCORER_SECONDS, "generate_timeout_seconds": draft.timeout_seconds}


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
