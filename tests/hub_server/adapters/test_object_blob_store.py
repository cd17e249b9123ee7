"""Blobs: written once, whole or not at all, and a store that is away says so."""

import os
import secrets
import threading
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import obstore
import pytest
from moto.server import ThreadedMotoServer
from obstore.store import from_url

from hub_server.adapters import object_blob_store, synced
from hub_server.adapters.local_wheel_cache import LocalWheelCache
from hub_server.adapters.object_blob_store import ObjectBlobStore
from hub_server.errors import BlobMissingError, StorageUnavailableError
from schemas.names import digest_of
from tests.making.altered_library import alter_library
from tests.making.hub import make_package

ABSENT = "sha256:" + "0" * 64


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An S3 bucket. VERIHUB_TEST_S3=s3://BUCKET with AWS_ENDPOINT and credentials names one of another server than moto."""
    if own := os.environ.get("VERIHUB_TEST_S3"):
        yield own
        return
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in {
            "AWS_ENDPOINT": f"http://{host}:{port}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y",
        }.items():  # fmt: skip
            patched.setenv(name, value)
        httpx.put(f"http://{host}:{port}/blobs")
        yield "s3://blobs"
    server.stop()


@pytest.fixture(params=["folder", "memory", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectBlobStore:
    if request.param == "s3":
        return ObjectBlobStore(f"{request.getfixturevalue('bucket')}/{tmp_path.name}-{secrets.token_hex(4)}")
    return ObjectBlobStore(str(tmp_path / "blobs") if request.param == "folder" else "memory:///")


def test_bytes_come_back_under_their_digest(blobs: ObjectBlobStore, tmp_path: Path) -> None:
    digest = blobs.put(b"hello")
    assert digest == digest_of(b"hello")
    assert blobs.read(digest) == b"hello"
    assert b"".join(blobs.stream(digest)) == b"hello"
    assert [b"".join(blobs.stream(digest, part)) for part in ((0, 1), (1, 4), (2, 5), (4, 99))] == [
        b"h",
        b"ell",
        b"llo",
        b"o",
    ]
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


def test_deleted_bytes_are_gone_and_deleting_again_is_harmless(blobs: ObjectBlobStore) -> None:
    digest, other = blobs.put(b"one"), blobs.put(b"other")
    blobs.delete(digest)
    blobs.delete(digest)
    assert not blobs.exists(digest)
    assert blobs.read(other) == b"other"
    assert blobs.put(b"one") == digest
    assert blobs.read(digest) == b"one"


@pytest.mark.skipif("VERIHUB_TEST_S3" in os.environ, reason="a server of one's own may have the weakness, and is told")
def test_no_weakness_is_found_where_there_is_none_and_nothing_stays(blobs: ObjectBlobStore, tmp_path: Path) -> None:
    assert blobs.weakness() == ""
    assert list(obstore.list(blobs._store)) == []


def test_every_blob_is_listed_and_nothing_else(blobs: ObjectBlobStore, tmp_path: Path) -> None:
    blobs.check()  # leaves a probe
    first, second = blobs.put(b"first"), blobs.put(b"second one")
    if (tmp_path / "blobs").is_dir():
        (tmp_path / "blobs" / "sha256" / "notes.txt").write_text("a stranger's file")
    assert {(blob.digest, blob.size_bytes) for blob in blobs.entries()} == {(first, 5), (second, 10)}
    assert all(blob.stored_at.tzinfo is not None for blob in blobs.entries())


def test_a_blob_is_linked_where_files_can_be(blobs: ObjectBlobStore, tmp_path: Path) -> None:
    digest = blobs.put(b"linked")
    source = blobs.file_of(digest)
    copies = ObjectBlobStore(str(tmp_path / "copies"))
    assert copies.file_of(digest) is None
    if source is None:
        assert not blobs.link_file(tmp_path / "any", digest)
        return
    assert copies.link_file(source, digest)
    assert copies.link_file(source, digest)
    assert copies.read(digest) == b"linked"
    assert source.stat().st_nlink == 2
    assert not copies.link_file(tmp_path / "nowhere", digest_of(b"nothing"))


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


def test_a_store_refuses_bytes_that_are_not_those(tmp_path: Path) -> None:
    blobs = ObjectBlobStore(str(tmp_path / "blobs"))
    wheel = make_package()
    digest = blobs.put(wheel)
    cache = LocalWheelCache(blobs, tmp_path / "wheels")
    assert cache.path(digest).read_bytes() == wheel
    assert cache.contents(digest) is cache.contents(digest)
    stored = next((tmp_path / "blobs").rglob("*" + digest[-20:]))
    cache.path(digest).unlink()
    stored.write_bytes(b"rotten")
    with pytest.raises(StorageUnavailableError, match="restore them from a backup"):
        cache.path(digest)


def test_bytes_that_were_cut_short_are_written_again_with_the_right_ones(tmp_path: Path) -> None:
    """Before, a blob that a full disk had truncated stayed so, and publishing the right wheel was refused."""
    blobs = ObjectBlobStore(str(tmp_path / "blobs"))
    digest = blobs.put(b"the whole wheel")
    (stored,) = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    stored.write_bytes(b"the wh")
    (tmp_path / "other").write_bytes(b"not these")
    blobs.put_file(tmp_path / "other", digest)
    assert blobs.read(digest) == b"the wh"  # other bytes heal nothing
    (tmp_path / "wheel").write_bytes(b"the whole wheel")
    blobs.put_file(tmp_path / "wheel", digest)
    assert blobs.read(digest) == b"the whole wheel"


def test_a_flipped_byte_is_mended_by_whoever_publishes_the_same_wheel_again(tmp_path: Path) -> None:
    blobs = ObjectBlobStore(str(tmp_path / "blobs"))
    digest = blobs.put(b"the whole wheel")
    (stored,) = [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]
    stored.write_bytes(b"the whole wheeX")
    blobs.put(b"the whole wheel")
    assert blobs.read(digest) == b"the whole wheel"


def test_what_is_acknowledged_is_on_the_disk_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    durable: list[str] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        durable.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    alter_library(monkeypatch, synced, "os", fsync=note)
    blobs = ObjectBlobStore(str(tmp_path / "blobs"))
    digest = blobs.put(b"hello").removeprefix("sha256:")
    folder = (tmp_path / "blobs" / "sha256" / digest[:2]).resolve()
    assert {str(folder / digest[2:]), str(folder), str(folder.parent)} <= set(durable)


@pytest.mark.parametrize("fault", ["nothing", "an error"])
def test_a_store_that_takes_bytes_and_does_not_give_them_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    blobs = ObjectBlobStore(str(tmp_path / "blobs"))
    blobs.check()

    def get(*_: object, **__: object) -> object:
        raise FileNotFoundError if fault == "nothing" else PermissionError("access denied")

    alter_library(monkeypatch, object_blob_store, "obstore", get=get)
    with pytest.raises(StorageUnavailableError, match="give"):
        blobs.check()


class _NoBucket(BaseHTTPRequestHandler):
    """An S3 server whose bucket was deleted."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"<Error><Code>NoSuchBucket</Code></Error>")

    do_PUT = do_DELETE = do_HEAD = do_GET  # noqa: N815 -- names that http.server gives

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[type[BaseHTTPRequestHandler]], ObjectBlobStore]]:
    """Makes a store on an S3 server that answers as the handler says."""
    servers: list[ThreadingHTTPServer] = []

    def serve(handler: type[BaseHTTPRequestHandler]) -> ObjectBlobStore:
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, value in {
            "AWS_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        return ObjectBlobStore("s3://gone/blobs")

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_store_without_tls_is_asked_for_by_its_setting(
    s3: Callable[..., ObjectBlobStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was "HTTP error: builder error"."""
    s3(_NoBucket)
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    with pytest.raises(StorageUnavailableError, match="needs AWS_ALLOW_HTTP=true"):
        ObjectBlobStore("s3://gone/blobs").check()


def test_a_bucket_that_is_gone_is_a_store_that_is_away(s3: Callable[..., ObjectBlobStore], tmp_path: Path) -> None:
    """It once counted as a file that was not found: ``/readyz`` answered 500, and a publish 60 lines of debugging."""
    without_bucket = s3(_NoBucket)
    file = tmp_path / "wheel"
    file.write_bytes(b"bytes")
    for ask in (
        without_bucket.check,
        lambda: without_bucket.put(b"bytes"),
        lambda: without_bucket.put_file(file, digest_of(b"bytes")),
        lambda: list(without_bucket.entries()),
    ):
        with pytest.raises(StorageUnavailableError) as refused:
            ask()
        assert "127.0.0.1" not in refused.value.detail, "whoever publishes is not told where the bytes are kept"
        assert "\n" not in refused.value.detail


class _Half(BaseHTTPRequestHandler):
    """An S3 server that hangs up in the middle of an object."""

    def do_GET(self) -> None:
        self.send_response(200)
        for name, value in {"Content-Length": "1000000", "Last-Modified": formatdate(0, usegmt=True)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(bytes(400_000))
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("how", ["read", "stream"])
def test_a_store_that_goes_away_in_the_middle_of_bytes_is_away(s3: Callable[..., ObjectBlobStore], how: str) -> None:
    """It once was an error of the library, which held the store's address: a 500, and a job without a second try."""
    blobs = s3(_Half)
    blobs._store = from_url("s3://gone/blobs", retry_config={"max_retries": 0})
    with pytest.raises(StorageUnavailableError) as refused:
        b"".join([blobs.read(ABSENT)] if how == "read" else blobs.stream(ABSENT))
    assert "cannot give bytes now" in refused.value.detail
    assert "127.0.0.1" not in refused.value.detail
    assert "\n" not in refused.value.detail
