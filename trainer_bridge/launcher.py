"""A process that torchrun has started ends when torchrun has ended, even if torchrun was killed."""

import os
import signal
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

LOOK_SECONDS = 1.0
PATIENCE_SECONDS = 30.0
"""Between SIGTERM and SIGKILL: the time that torchrun itself gives."""
_MARK = b"\0TORCHELASTIC_RUN_ID="


@cache
def end_with_launcher() -> None:
    """Watch the launcher of this process from a thread, and end this process as soon as the launcher is gone.

    A launcher that is killed with SIGKILL cannot end its processes. They would train on, hold the output folder, and
    write checkpoints. This one gets what torchrun sends when it is ended in order: SIGTERM, so that the run writes a
    checkpoint, and SIGKILL after ``PATIENCE_SECONDS``.

    Linux's own signal for this (PR_SET_PDEATHSIG) is not used: it comes once, when the *thread* that started the
    process ends, and only to the direct child, which may be a shell.
    """
    child = _child_of_launcher()
    launcher = _parent(child)
    if launcher is not None:
        threading.Thread(target=_watch, args=(child, launcher), name="launcher", daemon=True).start()


def _watch(child: int, launcher: int) -> None:
    while _parent(child) == launcher:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _child_of_launcher() -> int:
    """The process that the launcher started: this one, or a shell around it, which has the same variables."""
    child = os.getpid()
    while (parent := _parent(child)) and _was_launched(parent):
        child = parent
    return child


def _was_launched(process: int) -> bool:
    with suppress(OSError):
        return _MARK in b"\0" + Path(f"/proc/{process}/environ").read_bytes()
    return False


def _parent(process: int) -> int | None:
    """The number of the parent; None if the process is gone or this system has no /proc."""
    with suppress(OSError):
        # The name of the program comes before, in parentheses, and may hold any character.
        return int(Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(") ")[2].split()[1])
    return None
