"""Detects the end of a child: by a pollable descriptor (pidfd) where the kernel has one, otherwise by asking
repeatedly.

gVisor of Debian 12 (2022) has no ``pidfd_open``. Every supported Linux has it, but refuses it to a process that has
reached its limit of open files.
"""

import math
import os
import select
import time

_SOON_SECONDS = 0.002  # the first pause where nothing tells of the end; pauses grow to the second, so that a long
_GLANCE_SECONDS = 0.02  # call costs 50 questions a second and the end of a short one is seen at once


class ExitWatch:
    """Watches one child, which nobody else may reap. Must be closed."""

    __slots__ = ("_pid", "descriptor", "glance_seconds", "soon_seconds")

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.descriptor: int | None = None
        """Becomes readable when the child has ended; None without a pidfd."""
        self.glance_seconds = self.soon_seconds = math.inf
        """Ask :meth:`has_ended` again after so many seconds; after ``soon_seconds`` once the child has closed its line.
        Infinite with a descriptor.
        """
        try:
            self.descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            raise
        except OSError:
            self.glance_seconds, self.soon_seconds = _GLANCE_SECONDS, _SOON_SECONDS

    def has_ended(self) -> bool:
        """Whether the child has ended. It is not reaped by this."""
        return os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def wait(self, seconds: float) -> bool:
        """Block until the child has ended, at most for ``seconds``. Returns whether it has ended."""
        if self.descriptor is not None:
            poll = select.poll()
            poll.register(self.descriptor, select.POLLIN)
            return bool(poll.poll(max(0.0, seconds) * 1000))
        deadline = time.monotonic() + seconds
        pause = _SOON_SECONDS
        while not self.has_ended():
            if time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(pause * 1.5, _GLANCE_SECONDS)
        return True

    def close(self) -> None:
        """Close the descriptor."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None
