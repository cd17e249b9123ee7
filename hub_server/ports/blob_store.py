"""Bytes by digest: written once, never changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class StoredBlob:
    """What a store says of one blob without reading it. ``stored_at`` is by the store's clock, in UTC."""

    digest: str
    size_bytes: int
    stored_at: datetime


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

    def stream(self, digest: str, part: tuple[int, int] | None = None, *, size: int | None = None) -> Iterator[bytes]:
        """The bytes in chunks; ``part``: those from one position up to and without another, at least one.

        ``size``: how many there must be in all, in bytes; a store that holds another number has lost them. Raises
        ``BlobMissingError`` before the first chunk, so whoever answers a request has promised nothing yet.
        """
        ...

    def exists(self, digest: str) -> bool: ...

    def entries(self) -> Iterator[StoredBlob]:
        """Every blob, in no order. What is stored or deleted meanwhile may be among them or not."""
        ...

    def file_of(self, digest: str) -> Path | None:
        """The file of this machine that holds the bytes, not to be written to; None where the store has no files."""
        ...

    def link_file(self, path: Path, digest: str) -> bool:
        """Store the file under ``digest`` by a hard link. False where that is impossible: then use ``put_file``."""
        ...

    def delete(self, digest: str) -> None:
        """Remove the bytes for good. Harmless when there are none."""
        ...

    def check(self) -> None:
        """Raise ``StorageUnavailableError`` unless bytes can be stored and read again."""
        ...

    def weakness(self) -> str:
        """What this store cannot do that a hub wants, in a sentence; empty where it can. A try of its own shows it."""
        ...
