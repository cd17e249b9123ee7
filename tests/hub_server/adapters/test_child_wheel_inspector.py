"""The inspecting child: a sound wheel is described, a hostile one harms only the child."""

import io
import random
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hub_server.adapters import child_wheel_inspector
from hub_server.adapters.child_wheel_inspector import ChildWheelInspector
from hub_server.errors import InvalidPackageError
from hub_server.settings import LimitSettings
from schemas.names import digest_of
from tests.fakes.wheel_inspector import FakeWheelInspector
from tests.making.hub import make_package
from tests.sandbox.guest.forked import in_child


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
        archive.open("alice_small_sums/zeros.bin", "w") as member,
    ):
        for _ in range(megabytes):
            member.write(b"\0" * 2**20)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("megabytes", "why"), [(12, "times its packed size"), (600, "is larger than")], ids=["ratio", "size"]
)
def test_a_bomb_is_refused_at_little_cost(path: Path, megabytes: int, why: str) -> None:
    """Before it grows: the child's limits would end it too, but only after its time or memory is used up."""
    data = bomb(megabytes)
    assert len(data) < 2**20
    with pytest.raises(InvalidPackageError, match=why):
        inspect(path, data)


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


def test_a_server_that_has_died_is_replaced(path: Path) -> None:
    wheel = make_package()
    assert inspect(path, wheel).digest == digest_of(wheel)
    process = child_wheel_inspector._SERVER._process
    assert process is not None
    process.kill()
    process.wait()
    assert inspect(path, wheel).digest == digest_of(wheel)


def open_files(folder: str) -> int:
    return sum(1 for _ in Path(folder).iterdir())


def test_many_wheels_at_once_each_get_their_own_answer(path: Path) -> None:
    """And what is open stays open: a server that kept one file of each would soon take no more."""
    wheels = [make_package(package_files={"number.txt": str(number)}) for number in range(8)]

    def ask(number: int) -> bool:
        place = path.with_name(f"{number}.whl")
        return inspect(place, wheels[number % 8]).digest == digest_of(wheels[number % 8])

    def body() -> list[list[int]]:
        assert ask(0), "the server runs"
        server = child_wheel_inspector._SERVER._process
        assert server is not None
        before = [open_files("/proc/self/fd"), open_files(f"/proc/{server.pid}/fd")]
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(40)))
        after = [open_files("/proc/self/fd"), open_files(f"/proc/{server.pid}/fd")]
        child_wheel_inspector._SERVER.close()
        return [before, after]

    before, after = in_child(body)
    assert after == before


def test_the_wall_clock_of_a_child_ends_too(path: Path) -> None:
    with pytest.raises(InvalidPackageError, match=r"limits of memory and time \(0 s\)"):
        inspect(path, make_package(), inspect_seconds=0.001)


def test_a_forked_process_has_a_server_of_its_own(path: Path) -> None:
    wheel = make_package()
    inspect(path, wheel)
    ours = child_wheel_inspector._SERVER._process
    assert ours is not None

    def body() -> bool:
        inspect(path, wheel)
        own = child_wheel_inspector._SERVER._process
        assert own is not None
        child_wheel_inspector._SERVER.close()
        return own.pid != ours.pid

    assert in_child(body)
    assert ours.poll() is None
    assert inspect(path, wheel).digest == digest_of(wheel)
