"""What a box uses, from the kernel's files: both versions of cgroups, both drivers, and files that are not as they should be."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox.backends.docker.cgroups import containers, processes_of, read_usage
from sandbox.interface import BoxUsage

BOX = "3f9a" * 16
TWO = {
    "memory.current": "5000\n",
    "memory.peak": "9000\n",
    "memory.stat": "anon 3\ninactive_file 1000\nactive_file 7\n",
    "cpu.stat": "usage_usec 2500000\nuser_usec 1\n",
    "memory.events": "low 0\noom 5\noom_kill 2\noom_group_kill 0\n",
}
ONE = {
    "memory.usage_in_bytes": "5000\n",
    "memory.max_usage_in_bytes": "9000\n",
    "memory.stat": "inactive_file 4\ntotal_inactive_file 1000\n",
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
}
DRIVERS = ["docker/{}", "system.slice/docker-{}.scope"]
EXPECTED = BoxUsage(cpu_seconds=2.5, memory_bytes=4000, peak_memory_bytes=9000, oom_kills=2)


def write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def version_2(root: Path, driver: str = DRIVERS[0], **changed: str | None) -> Path:
    """A unified hierarchy; ``changed``: files (dots as __) with another text, or None where there is no such file."""
    folder = root / driver.format(BOX)
    write(folder, TWO)
    return _change(folder, changed)


def version_1(root: Path, driver: str = DRIVERS[0], **changed: str | None) -> Path:
    memory = root / "memory" / driver.format(BOX)
    write(memory, ONE)
    write(root / "cpuacct" / driver.format(BOX), {"cpuacct.usage": "2500000000\n"})
    return _change(memory, changed)


def _change(folder: Path, changed: Mapping[str, str | None]) -> Path:
    for name, text in changed.items():
        path = folder / name.replace("__", ".")
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)
    return folder


@pytest.mark.parametrize("driver", DRIVERS, ids=["cgroupfs", "systemd"])
@pytest.mark.parametrize("make", [version_1, version_2])
def test_usage_is_read_from_either_version_with_either_driver(tmp_path: Path, driver: str, make) -> None:
    make(tmp_path, driver)
    assert read_usage(BOX, tmp_path) == EXPECTED
    assert read_usage("another", tmp_path) is None


def test_a_hybrid_machine_has_an_empty_unified_folder_beside_the_controllers(tmp_path: Path) -> None:
    (tmp_path / "unified" / "docker" / BOX).mkdir(parents=True)
    version_1(tmp_path)
    assert read_usage(BOX, tmp_path) == EXPECTED


def test_where_no_cgroups_are_to_be_seen_nothing_is_known(tmp_path: Path) -> None:
    """As on macOS, under rootless engines, and in a container."""
    assert read_usage(BOX, tmp_path / "none") is None
    assert processes_of(BOX, tmp_path / "none") == []


@pytest.mark.parametrize("text", [None, "", "max\n", "-\n", "12 34\n"])
def test_without_a_number_for_memory_nothing_is_said(tmp_path: Path, text: str | None) -> None:
    """A 0 would look like a box that uses nothing."""
    version_2(tmp_path / "two", memory__current=text)
    version_1(tmp_path / "one", memory__usage_in_bytes=text)
    assert read_usage(BOX, tmp_path / "two") is None
    assert read_usage(BOX, tmp_path / "one") is None


@pytest.mark.parametrize("peak", [None, "max\n"])
def test_kernels_before_5_19_do_not_tell_the_peak_and_now_stands_for_it(tmp_path: Path, peak: str | None) -> None:
    version_2(tmp_path, memory__peak=peak)
    found = read_usage(BOX, tmp_path)
    assert found is not None
    assert found.peak_memory_bytes == found.memory_bytes == 4000


@pytest.mark.parametrize(
    ("stat", "memory"),
    [
        ("inactive_file 6000\n", 0),
        ("inactive_file\n", 5000),
        ("inactive_file many\n", 5000),
        ("inactive_file -4\n", 5000),
        ("\n\ninactive_file 1000 9\n", 5000),
        ("", 5000),
        (None, 5000),
    ],
    ids=["more than all", "half a line", "no number", "negative", "another form", "empty", "gone"],
)
def test_memory_is_never_negative_and_odd_lines_are_left_out(tmp_path: Path, stat: str | None, memory: int) -> None:
    version_2(tmp_path, memory__stat=stat)
    found = read_usage(BOX, tmp_path)
    assert found is not None
    assert found.memory_bytes == memory


@pytest.mark.parametrize("name", ["cpu.stat", "memory.events", "memory.stat"])
def test_a_file_that_vanishes_with_its_box_is_no_error(tmp_path: Path, name: str) -> None:
    folder = version_2(tmp_path)
    (folder / name).unlink()
    (folder / name).mkdir()  # which cannot be read either
    found = read_usage(BOX, tmp_path)
    assert found is not None
    assert found.cpu_seconds == (0 if name == "cpu.stat" else 2.5)
    assert found.oom_kills == (0 if name == "memory.events" else 2)


def test_a_controller_that_is_mounted_elsewhere_costs_its_own_figure_only(tmp_path: Path) -> None:
    version_1(tmp_path)
    for path in (tmp_path / "cpuacct" / "docker" / BOX).iterdir():
        path.unlink()
    found = read_usage(BOX, tmp_path)
    assert found is not None
    assert (found.cpu_seconds, found.memory_bytes) == (0, 4000)


@pytest.mark.parametrize("below", ["", "memory"])
@pytest.mark.parametrize("driver", DRIVERS, ids=["cgroupfs", "systemd"])
def test_the_processes_of_a_box_are_counted(tmp_path: Path, below: str, driver: str) -> None:
    write(tmp_path / below / driver.format(BOX), {"cgroup.procs": "101\n102\n103\n"})
    assert len(processes_of(BOX, tmp_path)) == 3
    assert processes_of("another", tmp_path) == []


@pytest.mark.parametrize("below", ["", "memory"])
@pytest.mark.parametrize("driver", DRIVERS, ids=["cgroupfs", "systemd"])
def test_the_containers_of_a_machine_are_listed_and_nothing_else(tmp_path: Path, below: str, driver: str) -> None:
    write(tmp_path / below / driver.format(BOX), {"cgroup.procs": ""})
    write((tmp_path / below / driver.format(BOX)).parent, {"cgroup.procs": "", "docker-.scope": "", "buildkit": ""})
    assert containers(tmp_path) == {BOX}
    assert containers(tmp_path / "none") == set()


def test_this_machines_own_kernel_is_understood() -> None:
    """The group that this test runs in has the same files as a box's, wherever it is mounted."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        folder = Path("/sys/fs/cgroup") / ("memory" if "memory" in controllers.split(",") else "") / path.lstrip("/")
        if ("memory" in controllers.split(",") or not controllers) and os.access(folder / "cgroup.procs", os.R_OK):
            assert str(os.getpid()) in (folder / "cgroup.procs").read_text().split()
            return
