"""The inspecting child: a sound wheel is described, a hostile one harms only the child."""

import io
import random
import resource
import zipfile
from pathlib import Path

import pytest

from hub_server.adapters.child_wheel_inspector import ChildWheelInspector
from hub_server.errors import InvalidPackageError
from hub_server.settings import LimitSettings
from schemas.names import digest_of
from tests.fakes.wheel_inspector import FakeWheelInspector
from tests.making.hub import make_package


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the upload lies."""
    return tmp_path / "upload.whl"


def inspect(path: Path, data: bytes, **limits: float):
    path.write_bytes(data)
    return ChildWheelInspector(LimitSettings(**limits)).inspect(path, digest_of(data))


def test_it_says_what_an_inspection_in_this_process_says(path: Path) -> None:
    wheel = make_package()
    assert inspect(path, wheel) == FakeWheelInspector().inspect(path, digest_of(wheel))


def test_a_faulty_wheel_comes_back_with_its_faults(path: Path) -> None:
    with pytest.raises(InvalidPackageError) as refused:
        inspect(path, make_package(package_files={"tasks.jsonl": "nonsense\n"}))
    assert "alice_small_sums/tasks.jsonl:1" in [part.pointer for part in refused.value.errors]


def bomb(megabytes: int) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("alice_small_sums/zeros.bin", "w", force_zip64=True) as member,
    ):
        for _ in range(megabytes):
            member.write(b"\0" * 2**20)
    return buffer.getvalue()


def test_a_bomb_is_refused_at_little_cost(path: Path) -> None:
    data = bomb(600)
    assert len(data) < 2**20
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with pytest.raises(InvalidPackageError):
        inspect(path, data)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 20, "seconds of CPU time"


def test_a_child_without_memory_or_time_is_a_refusal_and_not_a_crash(path: Path) -> None:
    wheel = make_package(package_files={"table.txt": random.Random(0).randbytes(8 * 2**20).hex()})
    assert inspect(path, wheel).size_bytes > 8 * 2**20
    with pytest.raises(InvalidPackageError, match="limits of memory and time"):
        inspect(path, wheel, inspect_memory_mb=30)
    with pytest.raises(InvalidPackageError, match=r"took longer|limits of memory and time"):
        inspect(path, wheel, inspect_seconds=0.01)


def test_bytes_that_are_not_those_of_the_digest_are_refused(path: Path) -> None:
    path.write_bytes(make_package())
    with pytest.raises(InvalidPackageError):
        ChildWheelInspector(LimitSettings()).inspect(path, "sha256:" + "0" * 64)
