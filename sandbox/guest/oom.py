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
        """Whether the kernel has killed for memory since this was last asked."""
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
    """The score by which the kernel chooses whom to end, for the process that makes this. Make it before hardening.

    Pages that belong to no process (an unnamed file in memory, data in a pipe) count for nobody. A call that hoards
    them would have the zygote ended in its place, and its box lost. So children begin with the highest score.
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
        """``fork``, with the highest score for the child. It is inherited, and a child may not lower it again."""
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
