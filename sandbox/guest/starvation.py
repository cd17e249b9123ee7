"""Decides whether a program is late by its own fault, or because other programs of the machine used the processor.

A program that used its time, itself or by its children, is at fault. A program that waited for a processor while other
programs ran is not.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import cache

_ENOUGH = 0.9  # a program that got this share of its time was not kept waiting
_OF_VERSION_2 = ("/sys/fs/cgroup/cpu.stat", 1, 1e6)  # usage_usec comes first
_OF_VERSION_1 = (
    ("/sys/fs/cgroup/cpuacct/cpuacct.usage", 0, 1e9),
    ("/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", 0, 1e9),
)
"""Path of a counter, the index of the word that holds the processor time, and its units per second."""
_MOST_BYTES = 4096  # chosen: such a file has a line or a few
_IS_INIT = os.getpid() == 1
"""True in a box's zygote and its forks. Then all other processes in /proc belong to the program."""


def box_cpu_seconds() -> float | None:
    """Processor seconds of the whole box, including dead processes, from its control group; None if it has none."""
    for path, word, unit in _usage_files() if _IS_INIT else ():
        try:
            return int(_content_of(path).split()[word]) / unit
        except (OSError, ValueError, IndexError):
            continue
    return None


@cache
def _usage_files() -> tuple[tuple[str, int, float], ...]:
    """The counters to try, in order. Cached: a box never changes its control group. Best called before the first
    fork.
    """
    return (_OF_VERSION_2, *_OF_VERSION_1) if _is_control_group_of_its_own() else _OF_VERSION_1


def _is_control_group_of_its_own() -> bool:
    """Whether control groups of version 2 are in use and the root that this process sees is the box's own control
    group.
    """
    try:
        return _content_of("/proc/self/cgroup").strip() == b"0::/"
    except OSError:
        return False


def _content_of(path: str) -> bytes:
    """The beginning of a small file, read without a file object, whose pages a fork would copy."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)


class CpuClock:
    """Watches the program led by ``leader``, the first process of a process session. Make it when the program starts.

    ``box_seconds`` reads the processor time of the box, ``threads`` the program's threads as
    ``(seconds that it ran, seconds that it waited for a processor)``, ``now`` is a clock in seconds.
    """

    def __init__(
        self,
        leader: int,
        box_seconds: Callable[[], float | None] = box_cpu_seconds,
        threads: Callable[[int], Iterator[tuple[float, float]]] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leader = leader
        self._box_seconds = box_seconds
        self._threads = threads or _threads_of
        self._box_before = box_seconds()
        self.now = now

    @property
    def is_exact(self) -> bool:
        """Whether the program has no way to hide processor time."""
        return self._box_before is not None

    def is_starved(self, seconds: float) -> bool:
        """Whether the program would have used ``seconds`` of processor time by now if others had not kept it waiting.

        The wait of one thread while another thread of the same program runs does not count.
        """
        threads = list(self._threads(self._leader))
        if not threads:
            return False
        used = self._used(threads)
        kept_waiting = max(waited - (used - ran) for ran, waited in threads)
        enough = seconds * _ENOUGH
        return used < enough <= used + kept_waiting

    def _used(self, threads: list[tuple[float, float]]) -> float:
        now = self._box_seconds()
        if now is None or self._box_before is None:
            return sum(ran for ran, _ in threads)
        return now - self._box_before


def _threads_of(leader: int) -> Iterator[tuple[float, float]]:
    """Running and waiting time of each thread of each living process of the program. Empty if the kernel does not
    tell.

    A thread that is kept to fewer processors than this process counts as never waiting. It chose to: others may be
    idle. Otherwise many endless programs that all keep to one processor would starve each other and be masked, not
    wrong.
    """
    all_processors = len(os.sched_getaffinity(0))
    for name in _listed("/proc"):
        if not name.isdigit() or not _belongs_to(int(name), leader):
            continue
        for thread in _listed(f"/proc/{name}/task"):
            try:
                with open(f"/proc/{name}/task/{thread}/schedstat", "rb") as file:
                    ran, waited, _ = file.read().split()
                is_kept_to_some = len(os.sched_getaffinity(int(thread))) < all_processors
            except (OSError, ValueError):
                continue
            yield int(ran) / 1e9, 0.0 if is_kept_to_some else int(waited) / 1e9


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # it has ended, or there is no /proc
        return []


def _belongs_to(pid: int, leader: int) -> bool:
    if _IS_INIT:
        return pid not in (1, os.getpid())
    try:
        return os.getsid(pid) == leader
    except OSError:
        return False
