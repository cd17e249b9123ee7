"""Several processes of one hub on one machine: they share a listening socket, and one that ends is started again.

The processes are forks of one that has only loaded its code: no thread runs and no connection is open yet. Each has a
process group of its own, so that Ctrl-C reaches it once, by way of the first process, and it stops when that one dies.
Why uvicorn's supervisor is not used: docs/decisions/0023-processes-are-watched-by-us.md.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

_QUICK_SECONDS = 5.0
"""A process that ends sooner after its start has failed to start."""
_PAUSE_SECONDS = 1.0  # chosen: before one that ended is started again
_UNUSABLE = 8


class Processes:
    """``count`` processes that each run ``serve(number)`` and end with what it returns as their exit status."""

    def __init__(
        self,
        count: int,
        serve: Callable[[int], int],
        say: Callable[[str], None],
        *,
        stop_seconds: float,
        pause_seconds: float = _PAUSE_SECONDS,
    ) -> None:
        self._serve = serve
        self._say = say
        self._stop_seconds = stop_seconds
        self._pause_seconds = pause_seconds
        self._numbers: dict[int, int] = {}
        self._started: dict[int, float] = {}
        self._count = count
        self._is_stopping = False
        self._watched, self._held = os.pipe()  # closed by the kernel when this process dies

    def run(self) -> int:
        """Run until SIGINT or SIGTERM, and return the exit status: 0, or that of a process which could not start."""
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, self._stop)
        for number in range(self._count):
            self._start(number)
        status = 0
        while self._numbers:
            status = self._wait_for_one() or status
        signal.setitimer(signal.ITIMER_REAL, 0)
        return status

    def _start(self, number: int) -> None:
        process = os.fork()
        if process == 0:
            status = 1
            try:
                self._become_a_child()
                status = self._serve(number)
            finally:
                os._exit(status)
        self._numbers[process] = number
        self._started[process] = time.monotonic()

    def _become_a_child(self) -> None:
        os.setpgrp()
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.SIG_DFL)
        os.close(self._held)
        threading.Thread(target=_stop_with, args=(self._watched,), name="parent-watch", daemon=True).start()

    def _wait_for_one(self) -> int:
        """Wait until a process ends, and start it again unless the hub stops. Returns the status to end the hub with,
        or 0.
        """
        process, ended = os.wait()
        if process not in self._numbers:  # as the first process of a container this one inherits others' orphans
            return 0
        number = self._numbers.pop(process)
        seconds = time.monotonic() - self._started.pop(process)
        status = os.waitstatus_to_exitcode(ended)
        if self._is_stopping:
            return 0
        if status == _UNUSABLE:  # the settings cannot be used: the next one would say the same
            self._stop()
            return status
        self._say(f"Process {number} ({process}) ended with {status}; it is started again.")
        if seconds < _QUICK_SECONDS:
            time.sleep(self._pause_seconds)  # a process that cannot start would otherwise be started without pause
        if not self._is_stopping:
            self._start(number)
        return 0

    def _stop(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """Tell every process to stop; a second signal, or too long a time, kills them."""
        how = signal.SIGKILL if self._is_stopping else signal.SIGTERM
        self._is_stopping = True
        for process in self._numbers:
            os.kill(process, how)
        if how == signal.SIGTERM:
            signal.signal(signal.SIGALRM, self._stop)
            signal.setitimer(signal.ITIMER_REAL, self._stop_seconds)


def _stop_with(watched: int) -> None:
    """Stop this process as by SIGTERM once nobody holds the pipe's other end: the first process is gone."""
    os.read(watched, 1)
    os.kill(os.getpid(), signal.SIGTERM)
