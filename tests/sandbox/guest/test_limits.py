"""Limits that a call inherits: it meets them, cannot raise them, and finds nothing that an import has set."""

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
from collections.abc import Callable
from unittest.mock import patch

import pytest

from sandbox.guest import limits
from tests.sandbox.guest.forked import in_child

NOBODY = 65_534
GIVEN = {"memory_mb": 64, "file_mb": 1, "open_file_count": 40}


def limited(body: Callable[[], object]) -> object:
    """What ``body`` returns behind the limits of a box, as a user without rights."""

    def run() -> object:
        os.closerange(3, 900)  # a test process may hold more descriptors than a box allows
        limits.limit_zygote(GIVEN)
        os.setuid(NOBODY)
        return body()

    return in_child(run)


def _error_of(action: Callable[[], object]) -> str:
    try:
        action()
    except (OSError, MemoryError, ValueError) as error:
        return errno.errorcode[error.errno] if isinstance(error, OSError) and error.errno else type(error).__name__
    return "allowed"


def test_a_call_has_the_memory_that_was_asked_for_and_not_more() -> None:
    def body() -> list[str]:
        return [_error_of(lambda size=size: mmap.mmap(-1, size << 20)) for size in (48, 80)]

    assert limited(body) == ["allowed", "ENOMEM"]


def test_a_file_that_grows_too_large_is_an_error_and_ends_nobody() -> None:
    def body() -> list[str]:
        file = os.memfd_create("x")
        return [_error_of(lambda at=at: os.pwrite(file, b"x", at)) for at in ((1 << 20) - 1, 1 << 20)]

    assert limited(body) == ["allowed", "EFBIG"]


def test_a_call_may_open_so_many_files() -> None:
    def body() -> list[str]:
        os.closerange(3, 200)
        return [_error_of(lambda: os.dup(0)) for _ in range(38)]

    assert limited(body) == ["allowed"] * 37 + ["EMFILE"]


def test_no_limit_can_be_raised_again() -> None:
    def body() -> list[str]:
        names = ("CORE", "MEMLOCK", "FSIZE", "NOFILE", "STACK", "AS")
        numbers = [getattr(resource, f"RLIMIT_{name}") for name in names]
        for number in numbers:
            soft, hard = resource.getrlimit(number)
            assert soft == hard, number
        return [_error_of(lambda number=number: resource.setrlimit(number, (1 << 40,) * 2)) for number in numbers]

    assert set(limited(body)) == {"ValueError"}  # what Python makes of the kernel's refusal


@pytest.mark.parametrize(("seconds", "expected"), [(0.2, 2), (1.0, 2), (57.5, 59), (4294967.3, 4294969)])
def test_the_processor_limit_is_behind_the_clocks(seconds: float, expected: int) -> None:
    def body() -> tuple[int, int]:
        limits.limit_cpu(seconds)
        return resource.getrlimit(resource.RLIMIT_CPU)

    assert in_child(body) == [expected, expected]


def test_a_processor_limit_that_is_lower_already_stays() -> None:
    """An unprivileged process that asked for more would be refused, and its call would never begin."""

    def body() -> tuple[int, int]:
        resource.setrlimit(resource.RLIMIT_CPU, (7, 7))
        os.setuid(NOBODY)
        limits.limit_cpu(600.0)
        return resource.getrlimit(resource.RLIMIT_CPU)

    assert in_child(body) == [7, 7]


def test_a_solution_may_have_less_memory_than_its_box_and_never_more() -> None:
    def body() -> list[bool]:
        _, before = resource.getrlimit(resource.RLIMIT_AS)
        limits.lower_memory(1 << 20)
        _, wide = resource.getrlimit(resource.RLIMIT_AS)
        limits.lower_memory(16)
        _, narrow = resource.getrlimit(resource.RLIMIT_AS)
        return [wide == before, narrow < before]

    assert limited(body) == [True, True]


# -- how much is mapped ----------------------------------------------------------------------------------------------


def test_without_proc_the_kernel_is_asked_by_trying() -> None:
    def body() -> list[int]:
        before = resource.getrlimit(resource.RLIMIT_AS)
        known = limits.mapped_bytes()
        with patch("builtins.open", side_effect=FileNotFoundError):
            probed = limits.mapped_bytes()
        return [probed - known, int(resource.getrlimit(resource.RLIMIT_AS) == before)]

    difference, is_restored = in_child(body)
    assert abs(difference) <= 3 << 20
    assert is_restored


# -- what an import may have set -------------------------------------------------------------------------------------


def test_no_handler_mask_or_timer_of_an_import_stays() -> None:
    def body() -> dict[str, object]:
        numbers = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
        for number in numbers:
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
        for timer in timers:
            signal.setitimer(timer, 1000.0, 1000.0)
        limits.reset_signals()
        handlers = {number: signal.getsignal(number) for number in numbers}
        return {
            "ignored": sorted(number for number, handler in handlers.items() if handler is signal.SIG_IGN),
            "others": [number for number, handler in handlers.items() if callable(handler)],
            "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
            "timers": [signal.getitimer(timer) for timer in timers],
        }

    assert in_child(body) == {
        "ignored": sorted([signal.SIGPIPE, signal.SIGXFSZ]),
        "others": [],
        "blocked": [],
        "timers": [[0.0, 0.0]] * 3,
    }


def test_a_hardened_process_shows_nobody_its_memory() -> None:
    def body() -> list[int]:
        os.umask(0)
        limits.harden_zygote()
        dumpable = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)
        return [dumpable, os.umask(0)]

    assert in_child(body) == [0, 0o077]


def test_a_hardened_process_adopts_the_orphans_of_its_children() -> None:
    def body() -> bool:
        limits.harden_zygote()
        told, tell = os.pipe()
        if (child := os.fork()) == 0:
            own = os.getpid()
            if os.fork() == 0:
                while os.getppid() == own:
                    os.sched_yield()
                os.write(tell, b"%d" % os.getppid())
                os._exit(0)
            os._exit(0)
        os.waitpid(child, 0)
        parent = int(os.read(told, 20))
        os.wait()
        return parent == os.getpid()

    assert in_child(body)


@pytest.mark.parametrize(("most_open", "beyond"), [(40, 1024), (3000, 3000)])
def test_an_import_gets_no_descriptor_that_the_baseline_does_not_look_at(most_open: int, beyond: int) -> None:
    def body() -> list[object]:
        os.closerange(3, 900)
        found = limits.limit_descriptors(most_open)
        os.setuid(NOBODY)
        asked = [_error_of(lambda number=number: fcntl.fcntl(0, fcntl.F_DUPFD, number)) for number in (900, beyond)]
        return [found, *asked, _error_of(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (beyond + 1, beyond + 1)))]

    assert in_child(body) == [beyond, "allowed", "EINVAL", "ValueError"]
