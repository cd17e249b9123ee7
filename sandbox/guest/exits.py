"""Detects whether a child has ended: by a pollable descriptor where the kernel gives one, else by polling.

gVisor as Debian 12 ships it (2022) has no ``pidfd_open``. Every Linux that we run on has it, and refuses it to a
process that may open no further file.
"""

import math
import os
import select
import time

_SOON_SECONDS = 0.002
_GLANCE_SECONDS = 0.02


class ExitWatch:
    """Watches one child that nobody else reaps. Close it."""

    __slots__ = ("_pid", "descriptor", "glance_seconds", "soon_seconds")

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.descriptor: int | None = None
        """Readable once the child has ended; None where the kernel cannot give one."""
        self.glance_seconds = self.soon_seconds = math.inf
        """How long to wait at most before asking :meth:`has_ended` again, ``soon_seconds`` where its line is closed
        already; for ever where there is a descriptor."""
        try:
            self.descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            raise
        except OSError:
            self.glance_seconds, self.soon_seconds = _GLANCE_SECONDS, _SOON_SECONDS

    def has_ended(self) -> bool:
        """Whether it has; it stays to be reaped."""
        return os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def wait(self, seconds: float) -> bool:
        """Block until it has ended, ``seconds`` at most; whether it has."""
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
        """Let go of the descriptor."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None
