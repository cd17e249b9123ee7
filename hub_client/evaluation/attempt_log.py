"""The attempts of an evaluation on disk: kept as they end, so that the same command can go on after a stop."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from hub_client.errors import CheckFailedError, ConflictError
from hub_client.files import write_atomically

_ATTEMPTS = "attempts.jsonl"
_SETTINGS = "evaluation.json"
_FIELDS = {"cell", "task_id", "sample", "error", "messages"}


class AttemptLog:
    """Attempts on disk, one line each, written as they end, so that an evaluation can be resumed. Thread-safe.

    ``settings`` are shared by all attempts of a folder (the model, its sampling parameters). An evaluation with other
    settings needs another folder. The folder is created with its first attempt, after ``before_first`` was called, so
    that an evaluation that cannot start leaves nothing behind. ``cell`` is a ``Cell.key``, which identifies
    environment, harness and tools.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], before_first: Callable[[], None] = lambda: None
    ) -> None:
        self.folder = folder
        self._settings, self._before_first = settings, before_first
        self._path = folder / _ATTEMPTS
        self._lock = Lock()
        self._is_begun = False
        _refuse_other_settings(folder / _SETTINGS, settings)
        self._found: dict[tuple[str, str, int], dict[str, Any]] = {}
        _drop_torn_line(self._path)
        for row in self._read():
            self._found[row["cell"], row["task_id"], row["sample"]] = row

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self._path.exists():
            return
        for number, line in enumerate(self._path.read_bytes().split(b"\n"), start=1):
            if line.strip():
                row = _read_attempt(line)
                if row is None:
                    raise CheckFailedError(
                        f"{self._path}: line {number} is no attempt: remove that line, or name another folder"
                    )
                yield row

    def find(self, cell: str, task_id: str, sample: int) -> dict[str, Any] | None:
        """An attempt that ended before."""
        return self._found.get((cell, task_id, sample))

    def add(self, cell: str, task_id: str, sample: int, attempt: Mapping[str, Any]) -> None:
        """Append one attempt. It is on disk when this returns; where the disk is full, nothing of it is."""
        row = {"cell": cell, "task_id": task_id, "sample": sample, **attempt}
        with self._lock:
            if not self._is_begun:
                self._begin()
            _append_whole(self._path, json.dumps(row) + "\n")
            self._found[cell, task_id, sample] = row

    def _begin(self) -> None:
        self._before_first()
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / _SETTINGS).exists():
            write_atomically(self.folder / _SETTINGS, json.dumps(dict(self._settings), indent=2).encode())
        self._is_begun = True


def _append_whole(path: Path, line: str) -> None:
    """Append all of a line or nothing: the attempts that end after a failed write are appended too."""
    before = path.stat().st_size if path.exists() else 0
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        if path.exists():
            os.truncate(path, before)
        raise


def _read_attempt(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and row.keys() >= _FIELDS else None


def _refuse_other_settings(path: Path, settings: Mapping[str, Any]) -> None:
    """Raise ConflictError where the folder's attempts were made with other settings."""
    if not path.exists():
        return
    before = _read_settings(path)
    changed = [f"{name} {before.get(name)!r}, not {value!r}" for name, value in settings.items()
               if before.get(name) != value]  # fmt: skip
    if changed:
        raise ConflictError(
            f"{path.parent} holds an evaluation of {', '.join(changed)}: name another folder with --output"
        )


def _read_settings(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise CheckFailedError(f"{path} is damaged: name another folder with --output, or remove {path.parent}")
    return found


def _drop_torn_line(path: Path) -> None:
    """Remove an incomplete last line that a crash left. That attempt is run again."""
    if not path.exists():
        return
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)
