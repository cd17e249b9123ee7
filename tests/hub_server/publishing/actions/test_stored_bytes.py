"""Stored bytes: what is lost is found, and collecting what nobody needs takes nothing from a publish under way."""

import os
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.blob_store import StoredBlob
from hub_server.publishing.actions import check_bytes, collect_unused, holds_bytes, make_release
from schemas.names import digest_of
from tests.making.action_driver import ActionDriver, person
from tests.making.hub import Api, make_package

DAY = timedelta(hours=24)
WHEEL = "/api/v1/packages/alice/small-sums/releases/1.0.0/wheel"


def file_of(services: Services, digest: str) -> Path:
    path = services.blobs.file_of(digest)
    assert path is not None
    return path


def grow_old(services: Services, digest: str, days: int = 2) -> None:
    then = (services.clock.now() - timedelta(days=days)).timestamp()
    os.utime(file_of(services, digest), (then, then))


def left_behind(services: Services, wheel: bytes) -> str:
    """Bytes of a publish that broke off two days ago."""
    digest = services.blobs.put(wheel)
    grow_old(services, digest)
    return digest


def damages(services: Services, *, reads_bytes: bool = True) -> set[tuple[str, str]]:
    return {(one.kind, one.release) for one in check_bytes(services, reads_bytes=reads_bytes)}


def test_missing_and_damaged_bytes_are_found(driver: ActionDriver) -> None:
    alice = driver.person("alice")
    digests = [driver.publish(alice, version=f"1.{minor}.0").digest for minor in range(4)]
    assert damages(driver.services) == set()
    driver.services.blobs.delete(digests[0])
    cut, turned = file_of(driver.services, digests[1]), file_of(driver.services, digests[2])
    cut.write_bytes(cut.read_bytes()[:-1])
    content = bytearray(turned.read_bytes())
    content[100] ^= 1
    turned.write_bytes(content)
    of_size = {("missing", "alice/small-sums 1.0.0"), ("damaged", "alice/small-sums 1.1.0")}
    assert damages(driver.services, reads_bytes=False) == of_size
    assert damages(driver.services) == of_size | {("damaged", "alice/small-sums 1.2.0")}


def test_only_old_bytes_without_a_release_are_collected(driver: ActionDriver) -> None:
    services = driver.services
    needed = driver.publish(driver.person("alice")).digest
    grow_old(services, needed)
    old, fresh = left_behind(services, b"old"), services.blobs.put(b"fresh")
    assert [blob.digest for blob in collect_unused(services, DAY, keeps=True)] == [old]
    assert services.blobs.exists(old)
    assert [blob.digest for blob in collect_unused(services, DAY)] == [old]
    assert [services.blobs.exists(digest) for digest in (old, fresh, needed)] == [False, True, True]


def test_the_bytes_of_a_takedown_that_were_not_erased_are_collected(driver: ActionDriver) -> None:
    digest = driver.publish(driver.person("alice")).digest
    grow_old(driver.services, digest)
    with driver.writing() as work:
        work.session.connection().exec_driver_sql("UPDATE releases SET taken_down_reason = 'a leak'")
    assert [blob.digest for blob in collect_unused(driver.services, DAY)] == [digest]


def test_bytes_collected_between_storing_and_the_release_are_stored_again(
    alice: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = make_package()
    digest = left_behind(services, wheel)
    put, collected = services.blobs.put_file, []

    def put_then_collect(path: Path, named: str) -> None:
        put(path, named)
        collected.extend(blob.digest for blob in collect_unused(services, DAY))

    monkeypatch.setattr(services.blobs, "put_file", put_then_collect)
    assert alice.publish(wheel).status_code == 201
    assert collected == [digest]
    assert digest_of(alice.get(WHEEL).content) == digest


def test_bytes_are_not_collected_while_the_publish_that_needs_them_commits(
    alice: Api, services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = make_package()
    path = tmp_path / "fresh.whl"
    path.write_bytes(wheel)
    digest = left_behind(services, wheel)
    inspection = services.inspector.inspect(path, digest)
    listed, entries, collected = threading.Event(), services.blobs.entries, []

    def listed_entries() -> Iterator[StoredBlob]:
        listed.set()  # which bytes are needed was read before: without this publish
        return entries()

    monkeypatch.setattr(services.blobs, "entries", listed_entries)
    collector = threading.Thread(target=lambda: collected.extend(collect_unused(services, DAY)))
    with services.database.writing() as session:
        work = UnitOfWork(session, services, person("alice"))
        assert holds_bytes(work, digest)
        make_release(work, inspection)
        collector.start()
        assert listed.wait(20)
    collector.join(20)
    assert collected == []
    assert digest_of(alice.get(WHEEL).content) == digest
