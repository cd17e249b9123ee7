"""Limits that the kernel enforces: on the zygote once, and on a child at its start."""

import ctypes
import math
import mmap
import os
import resource
import signal
from collections.abc import Mapping
from typing import Any

# of <linux/prctl.h>: Python does not name them
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl

_FEWEST_AT_IMPORT = 1024  # what most systems give a process; an import may hold more than a call may open
_COMPARED = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)
# a write over the file size limit then raises OSError instead of killing the process
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def harden_zygote() -> None:
    """Make this process undumpable, so that no call can open /proc/1/mem, and remove signal handlers.

    The kernel delivers to PID 1 no signal from inside its namespace for which it has no handler.
    """
    _prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    reset_signals()
    os.umask(0o077)


def reset_signals() -> None:
    """Remove every timer and handler and unblock every signal: an import may have set any, and calls can send all."""
    for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
        signal.setitimer(timer, 0)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN if number in _IGNORED_BY_PYTHON else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def limit_descriptors(most_open: int) -> int:
    """Bound the numbers of descriptors before the import. Returns the first number that nothing can have.

    What the package opens stays open for calls whatever limit is set later, so it must be where the baseline looks.
    """
    most = max(_FEWEST_AT_IMPORT, most_open)
    _limit(resource.RLIMIT_NOFILE, most)
    return most


def limit_zygote(limits: Mapping[str, Any]) -> None:
    """Set the limits that children inherit, so that no call has to set them. Called after the import.

    ``memory_mb`` is what a call may map in addition to what the zygote has mapped after import and warm-up.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _limit(resource.RLIMIT_FSIZE, int(limits["file_mb"]) << 20)
    _limit(resource.RLIMIT_NOFILE, int(limits["open_file_count"]))
    _limit(resource.RLIMIT_STACK, 8 << 20)
    _limit(resource.RLIMIT_AS, mapped_bytes() + (int(limits["memory_mb"]) << 20))


def limit_cpu(seconds: float) -> None:
    """Limit the processor time of this process and of each of its children, in case the zygote does not end them."""
    _limit(resource.RLIMIT_CPU, math.ceil(seconds) + 1)


def lower_memory(memory_mb: int) -> None:
    """Lower this process's limit of address space. A limit that is already lower stays."""
    _limit(resource.RLIMIT_AS, mapped_bytes() + (memory_mb << 20))


def own_limits() -> tuple[tuple[int, int], ...]:
    """Soft and hard limits of this process that another process of the same user could lower if no filter forbids
    it.
    """
    return tuple(map(resource.getrlimit, _COMPARED))


def mapped_bytes() -> int:
    """The size of this process's address space."""
    try:
        # without a file object, whose pages a fork would copy: see cheap_fork
        statm = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            return int(os.read(statm, 100).split()[0]) * resource.getpagesize()
        finally:
            os.close(statm)
    except OSError:  # boxes on gVisor have no /proc
        return _probed_mapped_bytes()


def _probed_mapped_bytes() -> int:
    """The same with a precision of a megabyte: found by trying which address-space limit still allows one more page."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    low, high = 0, min(hard, 1 << 40) if hard != resource.RLIM_INFINITY else 1 << 40
    try:
        while high - low > 1 << 20:
            middle = (low + high) // 2
            resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
            try:
                mmap.mmap(-1, resource.getpagesize()).close()
                high = middle
            except (OSError, MemoryError):
                low = middle
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return high


def _limit(which: int, value: int) -> None:
    """Set both limits to ``value``, or to the present hard limit where that is lower."""
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))
