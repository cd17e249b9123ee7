import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.cluster import wheel_transfer
from sandbox.cluster.wheel_transfer import ReleaseHeader, WheelFolder, files_of
from sandbox.errors import BoxLostError, SandboxUnavailableError
from sandbox.interface import LockedWheel, Source
from tests.making.altered_library import alter_library


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A release with one locked wheel, as the driver has it."""
    locked = tmp_path / "numbers-1.0-py3-none-any.whl"
    locked.write_bytes(b"a wheel, as far as a parcel cares")
    sha256 = hashlib.sha256(locked.read_bytes()).hexdigest()
    return Sample("X = 1\n").source(tmp_path, (LockedWheel("numbers", "1.0", sha256, locked),))


def blobs_of(source: Source) -> list[bytes]:
    return [path.read_bytes() for path in files_of(source).values()]


def test_a_release_lies_on_the_node_as_it_did_on_the_driver(source: Source, tmp_path: Path) -> None:
    wheels = WheelFolder(tmp_path / "node")
    assert wheels.missing(list(files_of(source))) == list(files_of(source))
    kept = wheels.keep(ReleaseHeader.of(source), blobs_of(source))
    assert (kept.digest, kept.manifest) == (source.digest, source.manifest)
    assert kept.wheel != source.wheel
    assert kept.wheel.name == source.wheel.name
    assert kept.wheel.read_bytes() == source.wheel.read_bytes()
    assert [(w.name, w.version, w.sha256, w.path.name) for w in kept.lock] == [
        (w.name, w.version, w.sha256, w.path.name) for w in source.lock
    ]


def test_what_is_there_is_not_sent_again_even_to_the_next_sandbox_on_the_machine(
    source: Source, tmp_path: Path
) -> None:
    WheelFolder(tmp_path / "node").keep(ReleaseHeader.of(source), blobs_of(source))
    other = WheelFolder(tmp_path / "node")
    assert other.missing(list(files_of(source))) == []
    assert other.keep(ReleaseHeader.of(source), []).wheel.exists()


def test_boxes_with_another_hash_seed_are_other_boxes_of_the_same_wheel(source: Source, tmp_path: Path) -> None:
    wheels = WheelFolder(tmp_path / "node")
    wheels.keep(ReleaseHeader.of(source), blobs_of(source))
    kept = wheels.keep(ReleaseHeader.of(replace(source, hash_seed=1)), [])
    assert (kept.hash_seed, kept.digest, kept.boxes_key) == (1, source.digest, f"{source.digest}/1")
    assert source.boxes_key == source.digest
    away = wheels.keep(ReleaseHeader.of(replace(source, is_elsewhere=True)), [])
    assert (away.is_elsewhere, away.boxes_key) == (True, f"{source.digest}/elsewhere")


def test_the_same_bytes_under_another_name_are_not_sent_again(source: Source, tmp_path: Path) -> None:
    wheels = WheelFolder(tmp_path / "node")
    wheels.keep(ReleaseHeader.of(source), blobs_of(source))
    stored = source.wheel.rename(tmp_path / f"{source.digest.removeprefix('sha256:')}.whl")
    renamed = Source(source.digest, stored, source.manifest, source.lock)
    assert wheels.missing(list(files_of(renamed))) == []
    kept = wheels.keep(ReleaseHeader.of(renamed), [])
    assert kept.wheel.name == stored.name
    assert kept.wheel.read_bytes() == stored.read_bytes()
    assert wheels.missing(list(files_of(renamed))) == []


def test_a_wheel_that_was_changed_on_the_node_counts_as_missing(source: Source, tmp_path: Path) -> None:
    wheels = WheelFolder(tmp_path / "node")
    wheels.keep(ReleaseHeader.of(source), blobs_of(source)).wheel.write_bytes(b"tampered with")
    assert wheels.missing(list(files_of(source))) == [source.digest.removeprefix("sha256:")]


def test_bytes_that_were_not_asked_for_are_refused(source: Source, tmp_path: Path) -> None:
    with pytest.raises(BoxLostError, match="other bytes"):
        WheelFolder(tmp_path / "node").keep(ReleaseHeader.of(source), [b"evil"])
    assert not list((tmp_path / "node").rglob("*.whl"))


def test_a_wheel_that_never_came_is_named(source: Source, tmp_path: Path) -> None:
    with pytest.raises(BoxLostError, match=r"numbers-1\.0.* has not arrived"):
        WheelFolder(tmp_path / "node").keep(ReleaseHeader.of(source), blobs_of(source)[:1])


def test_wheels_that_nobody_used_for_a_month_go(source: Source, tmp_path: Path) -> None:
    old = WheelFolder(tmp_path / "node").keep(ReleaseHeader.of(source), blobs_of(source)).lock[0].path
    os.utime(old, (0, 0))
    WheelFolder(tmp_path / "node").keep(ReleaseHeader(source.digest, source.wheel.name, source.manifest), [])
    assert not old.exists()
    assert source.wheel.exists()


@pytest.mark.parametrize("digest", ["../outside", "/etc", "", ".", "A" * 64, "0" * 63, "0" * 64 + "/../x"])
def test_a_digest_that_is_none_names_no_folder_here(source: Source, tmp_path: Path, digest: str) -> None:
    """Else a driver could have wheels elsewhere on the machine read, or removed because their digest is another."""
    outside = tmp_path / "outside" / "other-1.0-py3-none-any.whl"
    outside.parent.mkdir()
    outside.write_bytes(b"somebody's")
    wheels = WheelFolder(tmp_path / "node")
    assert wheels.missing([digest]) == [digest]
    assert outside.read_bytes() == b"somebody's"
    header = ReleaseHeader(f"sha256:{digest}", source.wheel.name, source.manifest)
    locked = ReleaseHeader(source.digest, source.wheel.name, source.manifest, (("n", "1", digest, outside.name),))
    for sent in (header, locked):
        with pytest.raises(BoxLostError, match="no SHA-256"):
            wheels.keep(sent, blobs_of(source)[:1])
    assert outside.read_bytes() == b"somebody's"


@pytest.mark.parametrize("name", ["../../out.whl", "/etc/out.whl", "a/b/out.whl"])
def test_a_wheels_name_with_a_path_in_it_stays_in_its_folder(source: Source, tmp_path: Path, name: str) -> None:
    header = ReleaseHeader(source.digest, name, source.manifest)
    kept = WheelFolder(tmp_path / "node").keep(header, blobs_of(source)[:1])
    assert kept.wheel.parent == tmp_path / "node" / source.digest.removeprefix("sha256:")
    assert kept.wheel.name == "out.whl"


def test_a_disk_that_takes_nothing_is_a_fault_that_says_where(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    wheels = WheelFolder(tmp_path / "node")
    alter_library(monkeypatch, wheel_transfer, "tempfile", NamedTemporaryFile=full)
    with pytest.raises(SandboxUnavailableError, match=r"cannot keep a wheel in .*node: .*No space left"):
        wheels.keep(ReleaseHeader.of(source), blobs_of(source))
