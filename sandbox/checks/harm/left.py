"""Finds what a run with faults has left behind: boxes, processes, files, open descriptors. Nothing may be left."""

import contextlib
import gc
import os
import time
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

_PATIENCE_SECONDS = 90.0
_CACHES = ("images",)
_STATE = "state"
_Item = TypeVar("_Item")


def what_stays(look: Callable[[], list[_Item]], patience_seconds: float = _PATIENCE_SECONDS) -> list[_Item]:
    """What ``look`` still finds after ``patience_seconds``. It waits because an engine removes ended boxes with a
    delay.
    """
    deadline = time.monotonic() + patience_seconds
    while (there := look()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return there


def living(pids: Collection[int]) -> list[int]:
    """The process ids that belong to a guest."""
    return [pid for pid in pids if b"sandbox/guest" in _command_of(pid)]


def started_at(pid: int) -> str:
    """When the process began, in the kernel's ticks; empty when it is gone.

    Forks use all numbers up within minutes, so the number of a process that has ended may be another guest's since.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def state_of(pid: int) -> str:
    """The state of a process as the kernel shows it, such as ``T (stopped)``."""
    try:
        fields = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    except OSError:
        return "ended since"
    return fields["State"]


def processes_of(folder: str) -> list[int]:
    """Processes whose command names ``folder``: an engine, its containerd and their shims. Not this one."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and folder.encode() in _command_of(pid)]


def shims_of(folder: str) -> list[int]:
    """The containerd shims of the engine in ``folder``. A shim outlives a containerd that was killed."""
    return [pid for pid in processes_of(folder) if b"containerd-shim" in _command_of(pid)]


def children_of(pid: int) -> list[int]:
    """Process ids of the children of a process's first thread."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def boxes_below(folder: str) -> list[int]:
    """Process ids of guests that the engine in ``folder`` has started and that still run.

    Without ``runc init``, which is a container that was created but not started when its engine was killed. It has run
    no code of a package, and it cannot be ended through the engine, which does not list it.
    """
    return living([child for shim in shims_of(folder) for child in children_of(shim)])


def strange_files(folder: Path) -> list[str]:
    """Files in a client's folder other than locks and finished layers: sockets, unfinished layers, filler files."""
    files = [path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()]
    return [str(path) for path in files if not _is_known(path)]


def descriptors() -> Counter[str]:
    """What this process has open, without the numbers. Runs the garbage collector first, which closes unreferenced
    files.
    """
    gc.collect()
    found: Counter[str] = Counter()
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the descriptor by which this folder is being listed
            found[str(path.readlink()).partition(":")[0]] += 1
    return found


def _is_known(path: Path) -> bool:
    if path.parts[0] == _STATE:
        return path.name == "id" or (path.name.startswith("owner-") and path.suffix == ".lock")
    return path.parts[0] in _CACHES and path.suffix != ".part"


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
