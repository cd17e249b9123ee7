"""Wheels on local disk, fetched from the blob store once and verified."""

import secrets
import threading
from collections import OrderedDict
from pathlib import Path

from hub_server.errors import StorageUnavailableError
from hub_server.ports.blob_store import BlobStore
from schemas.names import digest_of
from schemas.wheel import WheelContents, read_wheel


class LocalWheelShelf:
    """A folder of ``<hex>.whl`` beside the blob store, and the latest ``keep`` parsed wheels in memory."""

    def __init__(self, blobs: BlobStore, folder: Path, keep: int = 16) -> None:
        self._blobs = blobs
        self._folder = folder
        self._keep = keep
        self._parsed: OrderedDict[str, WheelContents] = OrderedDict()
        self._lock = threading.Lock()

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
            partial.unlink(missing_ok=True)
            raise StorageUnavailableError(f"No wheel can be kept in {self._folder}: {error}") from error

    def contents(self, digest: str) -> WheelContents:
        with self._lock:
            if digest in self._parsed:
                self._parsed.move_to_end(digest)
                return self._parsed[digest]
        parsed = read_wheel(self.path(digest).read_bytes())
        with self._lock:
            self._parsed[digest] = parsed
            while len(self._parsed) > self._keep:
                self._parsed.popitem(last=False)
        return parsed
