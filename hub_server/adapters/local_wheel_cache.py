"""Wheels on local disk, fetched from the blob store once and verified."""

import contextlib
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from hub_server.errors import StorageUnavailableError
from hub_server.ports.blob_store import BlobStore
from schemas.names import digest_of
from schemas.task import Task
from schemas.wheel import WheelContents, read_wheel

Value = TypeVar("Value")


class _Latest(Generic[Value]):
    """The latest ``keep`` values by key. Two threads may make the same value at once; one of them is kept."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value under ``key``, made where there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            kept = self._values.setdefault(key, made)
            while len(self._values) > self._keep:
                self._values.popitem(last=False)
        return kept


class LocalWheelCache:
    """A folder of ``<hex>.whl`` beside the blob store, and the latest few parsed wheels and splits in memory."""

    def __init__(self, blobs: BlobStore, folder: Path, keep: int = 16) -> None:
        self._blobs = blobs
        self._folder = folder
        self._parsed: _Latest[WheelContents] = _Latest(keep)
        self._tasks: _Latest[Mapping[str, Task]] = _Latest(keep)

    def path(self, digest: str) -> Path:
        target = self._folder / f"{digest.removeprefix('sha256:')}.whl"
        if not target.exists():
            self._fetch(digest, target)
        return target

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

    def contents(self, digest: str) -> WheelContents:
        return self._parsed.get(digest, lambda: read_wheel(self.path(digest).read_bytes()))

    def tasks_by_id(self, digest: str, split: str) -> Mapping[str, Task]:
        return self._tasks.get((digest, split), lambda: {task.id: task for task in self.contents(digest).tasks(split)})
