"""Blobs: written once, whole or not at all, and a store that is away says so."""

import threading
from pathlib import Path

import pytest

from hub_server.adapters.local_wheel_shelf import LocalWheelShelf
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.errors import BlobMissingError, StorageUnavailableError
from schemas.names import digest_of
from tests.making.hub import make_package


@pytest.fixture(params=["folder", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectBlobStore:
    return ObjectBlobStore(str(tmp_path / "blobs") if request.param == "folder" else "memory:///")


def test_bytes_come_back_under_their_digest(blobs: ObjectBlobStore, tmp_path: Path) -> None:
    digest = blobs.put(b"hello")
    assert digest == digest_of(b"hello")
    assert blobs.read(digest) == b"hello"
    assert b"".join(blobs.stream(digest)) == b"hello"
    assert blobs.exists(digest)
    path = tmp_path / "file"
    path.write_bytes(b"from a file")
    blobs.put_file(path, digest_of(b"from a file"))
    assert blobs.read(digest_of(b"from a file")) == b"from a file"


def test_putting_again_is_harmless_and_changes_nothing(blobs: ObjectBlobStore, tmp_path: Path) -> None:
    digest = blobs.put(b"first")
    path = tmp_path / "other"
    path.write_bytes(b"other bytes, same name")
    blobs.put_file(path, digest)
    assert blobs.read(digest) == b"first"


def test_what_is_not_there_is_missing(blobs: ObjectBlobStore) -> None:
    digest = digest_of(b"never")
    assert not blobs.exists(digest)
    with pytest.raises(BlobMissingError):
        blobs.read(digest)
    with pytest.raises(BlobMissingError):
        blobs.stream(digest)


def test_many_at_once_store_it_once(blobs: ObjectBlobStore) -> None:
    threads = [threading.Thread(target=blobs.put, args=(b"x" * 10_000,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert blobs.read(digest_of(b"x" * 10_000)) == b"x" * 10_000


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    blobs = ObjectBlobStore(str(tmp_path / "blobs"))
    (tmp_path / "blobs" / "sha256").write_text("a file where a folder should be")
    with pytest.raises(StorageUnavailableError, match="cannot store"):
        blobs.put(b"x")


def test_a_full_disk_is_said_and_keeps_what_was_there(small_disk: Path) -> None:
    blobs = ObjectBlobStore(str(small_disk / "blobs"))
    kept = blobs.put(b"small")
    large = b"\1" * (3 * 2**20)
    with pytest.raises(StorageUnavailableError, match="cannot store"):
        blobs.put(large)
    assert not blobs.exists(digest_of(large))
    assert blobs.read(kept) == b"small"


def test_a_shelf_refuses_bytes_that_are_not_those(tmp_path: Path) -> None:
    blobs = ObjectBlobStore(str(tmp_path / "blobs"))
    wheel = make_package()
    digest = blobs.put(wheel)
    shelf = LocalWheelShelf(blobs, tmp_path / "wheels")
    assert shelf.path(digest).read_bytes() == wheel
    assert shelf.contents(digest) is shelf.contents(digest)
    stored = next((tmp_path / "blobs").rglob("*" + digest[-20:]))
    shelf.path(digest).unlink()
    stored.write_bytes(b"rotten")
    with pytest.raises(StorageUnavailableError, match="restore them from a backup"):
        shelf.path(digest)
