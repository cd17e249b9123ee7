"""Bytes by digest: written once, never changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol


class BlobStore(Protocol):
    """A content-addressed store. Every method raises ``StorageUnavailableError`` when the store is away or full."""

    def put_file(self, path: Path, digest: str) -> None:
        """Store the file's bytes under ``digest``. All of it or nothing; harmless when it is there already."""
        ...

    def put(self, data: bytes) -> str:
        """Store ``data`` and return its digest. Harmless to repeat."""
        ...

    def read(self, digest: str) -> bytes:
        """The bytes. Raises ``BlobMissingError`` when there are none."""
        ...

    def stream(self, digest: str) -> Iterator[bytes]:
        """The bytes in chunks. Raises ``BlobMissingError`` before the first chunk."""
        ...

    def exists(self, digest: str) -> bool: ...

    def delete(self, digest: str) -> None:
        """Remove the bytes for good. Harmless when there are none."""
        ...

    def check(self) -> None:
        """Raise ``StorageUnavailableError`` unless the store can be reached."""
        ...
