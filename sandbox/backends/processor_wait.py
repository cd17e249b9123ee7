"""How long the processes of a box were kept waiting for a processor, by the kernel's own count."""

from collections.abc import Iterable
from pathlib import Path

_PROCESSES = Path("/proc")


def seconds_waited(pids: Iterable[int], root: Path = _PROCESSES) -> float:
    """Seconds of the thread that waited longest, of all threads of these processes. 0 where the kernel does not say.

    The kernel counts it from outside of the box (``/proc/PID/task/TID/schedstat``), so nothing in a box can claim it.
    """
    return max((_waited(thread) for pid in pids for thread in root.glob(f"{pid}/task/*/schedstat")), default=0.0)


def _waited(schedstat: Path) -> float:
    """Its second number: nanoseconds in a run queue."""
    try:
        return int(schedstat.read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):  # it has ended
        return 0.0
