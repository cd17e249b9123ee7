"""Blobs in a folder or an object store, through obstore: the same code for both."""

import hashlib
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import obstore
from obstore.exceptions import AlreadyExistsError, NotFoundError
from obstore.store import LocalStore, from_url

from hub_server.adapters.synced import sync_to_disk
from hub_server.errors import BlobMissingError, StorageUnavailableError
from hub_server.ports.blob_store import StoredBlob
from schemas.names import DIGEST_PATTERN, digest_of

Result = TypeVar("Result")
_RETRIES: Any = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=10),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=1), "base": 2},
}
"""A request thread waits meanwhile. By the library's own ten tries in three minutes an absent store stops the hub."""
_PROBE = "probe"
_WRITES_AGAIN = (
    "The blob store ignores `If-None-Match`, so bytes that it has can be overwritten: what a hub stores twice is "
    "written twice, with the same content. Better keep the bytes on a store that knows it."
)
_DIGEST = re.compile(DIGEST_PATTERN)
_ADDRESS = re.compile(r"\w+://\S+")
"""Whoever publishes is told why, and not where the operator keeps the bytes."""


class ObjectBlobStore:
    """Content-addressed: ``sha256/ab/cdef…``. Writing is put-if-absent, so bytes under a digest never change."""

    def __init__(self, url: str) -> None:
        self.where = url
        self._folder = None if "://" in url else Path(url)
        if "://" in url:
            self._store: Any = from_url(url, retry_config=_RETRIES)
        else:
            Path(url).mkdir(parents=True, exist_ok=True)
            self._store = LocalStore(url, mkdir=True)

    def put_file(self, path: Path, digest: str) -> None:
        self._create(digest, path)

    def put(self, data: bytes) -> str:
        digest = digest_of(data)
        self._create(digest, data)
        return digest

    def _create(self, digest: str, content: Path | bytes) -> None:
        key = _key(digest)
        try:
            _guarded(lambda: obstore.put(self._store, key, content, mode="create"), "store")
        except AlreadyExistsError:
            self._replace_damaged(key, digest, content)
        self._sync(key)

    def _replace_damaged(self, key: str, digest: str, content: Path | bytes) -> None:
        """Write again what a crash or a bad disk has damaged. Only bytes that have this digest are written."""
        found = hashlib.sha256()
        for chunk in self.stream(digest):
            found.update(chunk)
        if f"sha256:{found.hexdigest()}" == digest:
            return
        if _digest_of_content(content) == digest:
            _guarded(lambda: obstore.put(self._store, key, content, mode="overwrite"), "store")

    def _sync(self, key: str) -> None:
        """In a folder: wait until bytes and names are on the disk, so that power loss takes nothing acknowledged."""
        if self._folder is None:
            return
        path = self._folder / key
        sync_to_disk(path, path.parent, path.parent.parent, self._folder)

    def read(self, digest: str) -> bytes:
        answer = self._get(digest)
        return _guarded(lambda: bytes(answer.bytes()), "give")

    def stream(self, digest: str, part: tuple[int, int] | None = None, *, size: int | None = None) -> Iterator[bytes]:
        answer = self._get(digest, part)
        if size is not None and (held := answer.meta["size"]) != size:
            raise BlobMissingError(f"The store has {held} of {size} bytes for {digest}: restore it from a backup.")
        return _chunks_of(answer)

    def _get(self, digest: str, part: tuple[int, int] | None = None) -> Any:
        options: Any = {"range": part} if part is not None else None
        try:
            return _guarded(lambda: obstore.get(self._store, _key(digest), options=options), "give", may_lack=True)
        except (NotFoundError, FileNotFoundError):
            raise BlobMissingError(f"The store has no bytes for {digest}: restore it from a backup.") from None

    def exists(self, digest: str) -> bool:
        try:
            _guarded(lambda: obstore.head(self._store, _key(digest)), "look up", may_lack=True)
        except (NotFoundError, FileNotFoundError):
            return False
        return True

    def entries(self) -> Iterator[StoredBlob]:
        pages = iter(_guarded(lambda: obstore.list(self._store), "list"))
        while (page := _guarded(lambda: next(pages, None), "list")) is not None:
            for found in page:
                digest = _digest_of_key(found["path"])
                if digest:
                    yield StoredBlob(digest, found["size"], found["last_modified"])

    def file_of(self, digest: str) -> Path | None:
        path = None if self._folder is None else self._folder / _key(digest)
        return path if path is not None and path.is_file() else None

    def link_file(self, path: Path, digest: str) -> bool:
        if self._folder is None:
            return False
        target = self._folder / _key(digest)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                target.hardlink_to(path)
        except OSError:  # another file system, or one without links
            return False
        self._sync(_key(digest))
        return True

    def delete(self, digest: str) -> None:
        with suppress(NotFoundError, FileNotFoundError):
            _guarded(lambda: obstore.delete(self._store, _key(digest)), "delete", may_lack=True)

    def check(self) -> None:
        sent = secrets.token_bytes(8)
        _guarded(lambda: obstore.put(self._store, _PROBE, sent), "store")
        try:
            got = _guarded(lambda: bytes(obstore.get(self._store, _PROBE).bytes()), "give", may_lack=True)
        except (NotFoundError, FileNotFoundError):
            got = b""
        if len(got) != len(sent):  # another process may have written its own meanwhile
            raise StorageUnavailableError("The blob store does not give back what was just stored there.")

    def weakness(self) -> str:
        if self._folder is not None:
            return ""
        key = f"{_PROBE}-{secrets.token_hex(8)}"  # of its own: another process may try at the same time
        try:
            for _ in range(2):
                _guarded(lambda: obstore.put(self._store, key, b"once", mode="create"), "store")
        except AlreadyExistsError:
            return ""
        finally:
            with suppress(Exception):  # what stays harms nobody: it is no blob
                obstore.delete(self._store, key)
        return _WRITES_AGAIN


def _chunks_of(answer: Any) -> Iterator[bytes]:
    """The bytes as they come. The store may also go away in their middle."""
    chunks = iter(answer.stream(min_chunk_size=256 * 1024))
    while (chunk := _guarded(lambda: next(chunks, None), "give")) is not None:
        yield bytes(chunk)


def _key(digest: str) -> str:
    algorithm, _, hexadecimal = digest.partition(":")
    return f"{algorithm}/{hexadecimal[:2]}/{hexadecimal[2:]}"


def _digest_of_content(content: Path | bytes) -> str:
    if not isinstance(content, Path):
        return digest_of(content)
    with content.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def _digest_of_key(key: str) -> str:
    """The digest that a key was made from; empty for what is no blob of ours."""
    parts = key.split("/")
    digest = f"{parts[0]}:{''.join(parts[1:])}"
    return digest if _DIGEST.fullmatch(digest) and _key(digest) == key else ""


def _guarded(call: Callable[[], Result], verb: str, *, may_lack: bool = False) -> Result:
    """Run ``call``; whatever the store says but *exists* means that it is away or full.

    ``may_lack``: *not found* is an answer about one blob. In writing and listing it means that there is no bucket.
    """
    try:
        return call()
    except AlreadyExistsError:
        raise
    except Exception as error:
        if may_lack and isinstance(error, NotFoundError | FileNotFoundError):
            raise
        if isinstance(error, NotFoundError | FileNotFoundError):
            raise StorageUnavailableError("The blob store has no such bucket: make it, or correct its name.") from error
        reason = _ADDRESS.sub("the store", str(error).partition("\n")[0])  # what follows is the store's own debugging
        if "builder error" in reason:  # the library's words for http:// where only https:// is allowed
            reason = "an AWS_ENDPOINT that begins with http:// needs AWS_ALLOW_HTTP=true, or give one with https://"
        raise StorageUnavailableError(f"The blob store cannot {verb} bytes now: {reason}") from error
