"""What the kernel has counted for a container, from its cgroup's files (version 1 or 2).

``docker stats`` would take a second.
"""

import contextlib
import re
from pathlib import Path

from sandbox.interface import BoxUsage

_ROOT = Path("/sys/fs/cgroup")
_NAMES = ("docker/{}", "system.slice/docker-{}.scope")  # the cgroupfs driver's, systemd's
_CONTAINER = re.compile(r"(?:docker-)?([0-9a-f]{64})(?:\.scope)?")


def read_usage(container: str, root: Path = _ROOT) -> BoxUsage | None:
    """CPU and memory of the container with this id. None when its cgroup is not visible from here.

    Memory is what counts against the limit, kernel memory included, without file pages that can be freed at once.
    """
    for name in _NAMES:
        folder = root / name.format(container)
        if folder.is_dir():
            return _unified(folder)
        memory, processor = root / "memory" / name.format(container), root / "cpuacct" / name.format(container)
        if memory.is_dir():
            return _version_1(memory, processor)
    return None


def _unified(folder: Path) -> BoxUsage | None:
    now = _number(folder / "memory.current")
    if now is None:
        return None
    memory = max(0, now - _fields(folder / "memory.stat").get("inactive_file", 0))
    return BoxUsage(
        cpu_seconds=_fields(folder / "cpu.stat").get("usage_usec", 0) / 1e6,
        memory_bytes=memory,
        peak_memory_bytes=_number(folder / "memory.peak") or memory,  # Linux 5.19 and newer
        oom_kills=_fields(folder / "memory.events").get("oom_kill", 0),
    )


def _version_1(memory: Path, processor: Path) -> BoxUsage | None:
    now = _number(memory / "memory.usage_in_bytes")
    if now is None:
        return None
    inactive = _fields(memory / "memory.stat").get("total_inactive_file", 0)
    return BoxUsage(
        cpu_seconds=(_number(processor / "cpuacct.usage") or 0) / 1e9,
        memory_bytes=max(0, now - inactive),
        peak_memory_bytes=_number(memory / "memory.max_usage_in_bytes") or now,
        oom_kills=_fields(memory / "memory.oom_control").get("oom_kill", 0),
    )


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _fields(path: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    try:
        rows = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}


def containers(root: Path = _ROOT) -> set[str]:
    """Ids of all containers that have a cgroup here, whichever engine has started them."""
    folders = [folder for name in _NAMES for base in (root, root / "memory") for folder in base.glob(name.format("*"))]
    return {found.group(1) for folder in folders if (found := _CONTAINER.fullmatch(folder.name))}


def processes_of(container: str, root: Path = _ROOT) -> list[int]:
    """Ids of the container's processes, zombies included. Empty when its cgroup is not visible from here.

    Version 2 lists processes outside of our own pid namespace too, each as 0: they have no id here.
    """
    for name in _NAMES:
        for folder in (root, root / "memory"):
            try:
                pids = map(int, (folder / name.format(container) / "cgroup.procs").read_text().split())
                return [pid for pid in pids if pid > 0]
            except (OSError, ValueError):
                continue
    return []


def thaw(container: str, root: Path = _ROOT) -> None:
    """Let a paused container go on. Under version 1 its processes would not even end before that."""
    for name in _NAMES:
        with contextlib.suppress(OSError):
            (root / "freezer" / name.format(container) / "freezer.state").write_text("THAWED")
