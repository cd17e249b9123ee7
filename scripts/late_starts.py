"""A pytest plugin: ``pytest -p scripts.late_starts`` delays the start of threads and child processes or starters.

On a machine that has other work, a thread that was started has not begun yet, or is done already when its starter goes
on; and so is a child process. A test that takes either for granted passes a thousand times and fails once. With this
plugin it fails soon. ``VERIHUB_LATE_SECONDS`` (default 0.15) is the longest delay. Limits of a second or less that are
part of what a test tries can be missed by it: what fails is to be read, not counted.
"""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

_LONGEST = float(os.environ.get("VERIHUB_LATE_SECONDS", "0.15"))
_random = random.Random()  # noqa: S311 -- no secret; of its own, since tests seed the module's
_sleep, _start, _open = time.sleep, threading.Thread.start, subprocess.Popen.__init__


def _delays() -> tuple[float, float]:
    """Seconds by which what is started is late, and its starter: at most one of the two, and often none."""
    seconds = _random.uniform(0, _LONGEST)
    return _random.choice(((0.0, 0.0), (seconds, 0.0), (0.0, seconds)))


def start_late(thread: threading.Thread) -> None:
    """As ``Thread.start``; what the thread does begins a little later, or its starter goes on a little later."""
    run: Callable[[], None] = thread.run
    own, starters = _delays()

    def late() -> None:
        _sleep(own)
        thread.__dict__.pop("run", None)
        run()

    thread.run = late  # type: ignore[method-assign]
    _start(thread)
    _sleep(starters)


def open_late(process: "subprocess.Popen[Any]", *args: Any, **kwargs: Any) -> None:
    """As ``Popen``; the child stops as soon as it runs and goes on a little later, or its starter does."""
    _open(process, *args, **kwargs)
    own, starters = _delays()
    _sleep(starters)
    if not own:
        return
    with contextlib.suppress(OSError):  # it has ended, and another thread has taken its status
        child = os.pidfd_open(process.pid)
        signal.pidfd_send_signal(child, signal.SIGSTOP)

        def go_on() -> None:
            _sleep(own)
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(child, signal.SIGCONT)
            os.close(child)

        _start(threading.Thread(target=go_on, daemon=True, name="late-start"))


threading.Thread.start = start_late  # type: ignore[assignment,method-assign]
subprocess.Popen.__init__ = open_late  # type: ignore[assignment,method-assign]
