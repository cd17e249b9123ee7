"""Ends boxes by the kernel's list of processes, where the engine has forgotten them or hangs.

An engine that is killed, or whose disk is full, while it starts a box may not have recorded that the box runs. After a
restart it neither lists that box nor ends it. Such a box ends by itself when its connection closes. But a box that is
stopped or paused at that moment, or never had a connection, stays. It can be ended only here, and only by a client that
may send signals to it, which means root.
"""

import contextlib
import os
import signal
from collections.abc import Container, Iterable
from pathlib import Path

from sandbox.backends.docker import cgroups

_CGROUPS, _PROCESSES = Path("/sys/fs/cgroup"), Path("/proc")


def end_box(container: str, root: Path = _CGROUPS) -> bool:
    """Kill every process of this container. False when there is none, or none that is seen from here."""
    pids = cgroups.processes_of(container, root)
    for pid in pids:
        with contextlib.suppress(OSError):
            _end_process(pid, container, root)
    if pids:
        cgroups.thaw(container, root)
    return bool(pids)


def _end_process(pid: int, container: str, root: Path) -> None:
    """Kill the process if it is the container's once it is held: its number may be another process's by then."""
    process = os.pidfd_open(pid)
    try:
        if pid in cgroups.processes_of(container, root):
            signal.pidfd_send_signal(process, signal.SIGKILL)
    finally:
        os.close(process)


def end_boxes_of(uids: Container[int], boxes: Iterable[str], root: Path = _CGROUPS) -> list[str]:
    """End those of ``boxes`` that run as one of ``uids``, which nobody uses; their ids.

    ``boxes`` may be anybody's containers: an engine does not tell us whose they are once it has forgotten them.
    """
    return [box for box in boxes if _user_of(box, root) in uids and end_box(box, root)]


def _user_of(container: str, root: Path) -> int:
    """The real user of one of its processes; -1 when it has none."""
    for pid in cgroups.processes_of(container, root):
        with contextlib.suppress(OSError):
            status = (_PROCESSES / str(pid) / "status").read_text()
            return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("Uid:"))
    return -1
