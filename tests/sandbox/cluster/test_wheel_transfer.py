import hashlib
import os
from pathlib import Path

import pytest

from sandbox.checks.samples import Sample
from sandbox.cluster.wheel_transfer import ReleaseHeader, WheelFolder, files_of
from sandbox.errors import BoxLostError
from sandbox.interface import LockedWheel, Source


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
