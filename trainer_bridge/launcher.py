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
_GIVEN = (b"TORCHELASTIC_RUN_ID", b"MASTER_PORT", b"RANK", b"LOCAL_RANK", b"GROUP_RANK", b"TORCHELASTIC_RESTART_COUNT")
"""What torchrun sets for each process that it starts."""


@cache
def end_with_launcher() -> None:
    """Watch the launcher of this process from a thread, and end this process as soon as the launcher is gone.

    A launcher that is killed with SIGKILL cannot end its processes. They would train on, hold the output folder, and
    write checkpoints. This one gets what torchrun sends when it is ended in order: SIGTERM, so that the run writes a
    checkpoint, and SIGKILL after ``PATIENCE_SECONDS``.

    Linux's own signal for this (PR_SET_PDEATHSIG) is not used: it comes once, when the *thread* that started the
    process ends, and only to the direct child, which may be a shell.
    """
    with suppress(OSError):
        child = _child_of_launcher()
        launcher = _parent(child)
        if launcher is not None:
            threading.Thread(target=_watch, args=(child, launcher), name="launcher", daemon=True).start()


def _watch(child: int, launcher: int) -> None:
    while not _is_gone(child, launcher):
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _is_gone(child: int, launcher: int) -> bool:
    """Whether ``launcher`` is the parent of ``child`` no longer. Where that cannot be read, the next look tells."""
    with suppress(OSError):  # no file can be opened while this process or the machine has as many open as it may
        return _parent(child) != launcher
    return False


def _child_of_launcher() -> int:
    """The process that the launcher started: this one, or a shell around it, which has the same variables.

    The run's id alone does not tell: whoever has it set already, in a job's script, starts torchrun itself with it.
    """
    child = os.getpid()
    own = _given(child)
    while own and (parent := _parent(child)) and _given(parent) == own:
        child = parent
    return child


def _given(process: int) -> dict[bytes, bytes]:
    """What torchrun set for a process when that began; empty if it has ended, or is another account's."""
    with suppress(OSError):
        pairs = (pair.partition(b"=") for pair in Path(f"/proc/{process}/environ").read_bytes().split(b"\0"))
        return {name: value for name, _, value in pairs if name in _GIVEN}
    return {}


def _parent(process: int) -> int | None:
    """The number of the parent; None if the process is gone or this system has no /proc."""
    try:
        # The name of the program comes before, in parentheses, and may hold any character.
        return int(Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(") ")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None
