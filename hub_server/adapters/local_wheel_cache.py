"""Wheels on local disk, fetched from the blob store once and verified."""

import contextlib
import secrets
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cachetools import LRUCache, cachedmethod

from hub_server.errors import StorageUnavailableError
from hub_server.ports.blob_store import BlobStore
from schemas.names import digest_of
from schemas.task import Task
from schemas.wheels.wheel import WheelContents, read_wheel

_LINES_BYTES = 64 * 2**20
"""Of all splits whose lines are kept. One split may take a quarter of it."""
_GATHERED_AT_ONCE = 4
"""Splits whose lines wait for their reader's end to be kept, each for one reader: readers may be many, and slow."""
_Split = tuple[str, str, bool]
"""A wheel's digest, a split's name, whether with answers."""


class LocalWheelCache:
    """A folder of ``<hex>.whl`` beside the blob store, and the latest few parsed wheels and splits in memory."""

    def __init__(self, blobs: BlobStore, folder: Path, keep: int = 16) -> None:
        self._blobs = blobs
        self._folder = folder
        self._parsed: LRUCache[Any, WheelContents] = LRUCache(keep)
        self._tasks: LRUCache[Any, Mapping[str, Task]] = LRUCache(keep)
        self._lines: LRUCache[_Split, Sequence[bytes]] = LRUCache(_LINES_BYTES, getsizeof=_size)
        self._gathered: set[_Split] = set()
        self._lock = threading.Lock()  # held to look and to keep, not while a wheel is read

    def path(self, digest: str) -> Path:
        target = self._file(digest)
        if not target.exists():
            self._fetch(digest, target)
        return target

    def forget(self, digest: str) -> None:
        self._file(digest).unlink(missing_ok=True)
        with self._lock:
            self._parsed.clear()
            self._tasks.clear()
            self._lines.clear()

    def _file(self, digest: str) -> Path:
        return self._folder / f"{digest.removeprefix('sha256:')}.whl"

    def _fetch(self, digest: str, target: Path) -> None:
        data = self._blobs.read(digest)
        if digest_of(data) != digest:
            raise StorageUnavailableError(f"The bytes stored under {digest} are not those: restore them from a backup.")
        partial = target.with_suffix(f".{secrets.token_hex(4)}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(data)
            partial.replace(target)
        except OSError as error:
            with contextlib.suppress(OSError):  # the folder itself may be what is missing
                partial.unlink()
            raise StorageUnavailableError(f"No wheel can be kept in {self._folder}: {error}") from error

    @cachedmethod(lambda self: self._parsed, lock=lambda self: self._lock)
    def contents(self, digest: str) -> WheelContents:
        # The bytes are those of their digest, and no digest is stored that was not inspected row by row.
        return read_wheel(self.path(digest).read_bytes(), rows_checked=True)

    @cachedmethod(lambda self: self._tasks, lock=lambda self: self._lock)
    def tasks_by_id(self, digest: str, split: str) -> Mapping[str, Task]:
        return {task.id: task for task in self.contents(digest).tasks(split)}

    def task_lines(self, digest: str, split: str, *, answers: bool) -> Iterator[bytes]:
        wanted = (digest, split, answers)
        with self._lock:
            kept = self._lines.get(wanted)
        return iter(kept) if kept is not None else self._written_lines(wanted)

    def _written_lines(self, wanted: _Split) -> Iterator[bytes]:
        """Each line when it is asked for, so that the first is sent before the last is written."""
        digest, split, answers = wanted
        written = self.contents(digest).task_lines(split, with_answer=answers)
        with self._lock:
            is_gathered = wanted not in self._gathered and len(self._gathered) < _GATHERED_AT_ONCE
            if is_gathered:
                self._gathered.add(wanted)
        if not is_gathered:
            yield from written
            return
        try:
            yield from self._gather(wanted, written)
        finally:
            with self._lock:
                self._gathered.discard(wanted)

    def _gather(self, wanted: _Split, written: Iterator[bytes]) -> Iterator[bytes]:
        lines: list[bytes] = []
        size = 0
        for line in written:
            size += len(line)
            if size <= _LINES_BYTES // 4:
                lines.append(line)
            else:
                lines.clear()
            yield line
        if lines:
            with self._lock:
                self._lines[wanted] = lines


def _size(lines: Sequence[bytes]) -> int:
    return sum(map(sys.getsizeof, lines))
