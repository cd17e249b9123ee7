"""Out of memory: which process of the box the kernel kills first, and how many it has killed."""

import os
from collections.abc import Callable

from sandbox.guest.line import line_descriptor

_SCORE = "/proc/self/oom_score_adj"
_FIRST_TO_GO = b"1000"


class OomCounter:
    """The count of the box's control group (version 1 or 2)."""

    _FILES = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")

    def __init__(self) -> None:
        self._last = self._read()

    def has_grown(self) -> bool:
        """Whether the kernel has killed a process for memory since the last call of this method."""
        now = self._read()
        grown, self._last = now > self._last, now
        return grown

    def _read(self) -> int:
        for path in self._FILES:
            try:
                with open(path) as file:
                    for line in file:
                        name, _, value = line.partition(" ")
                        if name == "oom_kill":
                            return int(value)
            except (OSError, ValueError):
                continue
        return 0


oom_kills = OomCounter()


class OomScore:
    """Sets the score by which the kernel chooses which process to kill. Construct it before :func:`harden_zygote`.

    Some memory belongs to no process: unnamed files in memory, data in pipes. If a call fills the box with it, the
    kernel would kill the zygote, and the box would be lost. So children start with the highest score and are killed
    first.
    """

    def __init__(self) -> None:
        self._descriptor: int | None = None
        try:
            descriptor = os.open(_SCORE, os.O_RDWR | os.O_CLOEXEC)
            self._descriptor = line_descriptor(descriptor)  # so that children drop it
            os.close(descriptor)
            self._own = os.read(self._descriptor, 16)
        except OSError:  # gVisor's boxes have no /proc
            self._descriptor = None

    def marking_children(self, fork: Callable[[], int]) -> Callable[[], int]:
        """A ``fork`` that gives the child the highest score. Its own children inherit it, and it cannot lower it
        again.
        """
        descriptor = self._descriptor
        if descriptor is None:
            return fork

        def marked_fork() -> int:
            os.write(descriptor, _FIRST_TO_GO)
            pid = -1
            try:
                pid = fork()
            finally:
                if pid:
                    os.write(descriptor, self._own)
            return pid

        return marked_fork
