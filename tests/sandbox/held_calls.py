"""Calls that go on until a test lets them: what harms a box then harms it amid a call, however busy the machine is."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE_SECONDS = 60.0
HELD = """
import signal

def held(seconds):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT, signal.SIGURG])
    signal.sigtimedwait([signal.SIGCONT], seconds)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGURG])
"""
"""``held(seconds)`` of a package: go on when somebody sends SIGCONT, which does nothing to others, or when they are over."""

Zygotes = Callable[[], list[int]]
"""Finds the zygotes of all boxes, by their numbers on this machine."""


def is_soon(condition: Callable[[], bool]) -> bool:
    """Whether it comes true within a minute."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def is_holding(zygote: int) -> bool:
    """Whether a call of this box waits in ``held``."""
    return any(map(_is_held, _descendants(zygote)))


@contextmanager
def harmed_amid_a_call(zygotes: Zygotes, harm: Callable[[], None]) -> Iterator[None]:
    """Meanwhile ``harm`` is done once, while a call is held; later calls are let go at once."""

    def work(is_over: threading.Event) -> None:
        if _wait_for_held(zygotes, is_over):
            harm()
        while not is_over.wait(0.05):
            for process in [process for zygote in _found(zygotes) for process in _descendants(zygote)]:
                if _is_held(process):
                    with suppress(OSError):
                        os.kill(process, signal.SIGCONT)

    with _beside(work):
        yield


@contextmanager
def each_call_harmed(zygotes: Zygotes, harm: Callable[[], None]) -> Iterator[None]:
    """Meanwhile ``harm`` is done whenever a call is held."""

    def work(is_over: threading.Event) -> None:
        while _wait_for_held(zygotes, is_over):
            with suppress(Exception):  # it may have ended just now
                harm()

    with _beside(work):
        yield


@contextmanager
def _beside(work: Callable[[threading.Event], None]) -> Iterator[None]:
    is_over = threading.Event()
    thread = threading.Thread(target=work, args=(is_over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(PATIENCE_SECONDS)


def _wait_for_held(zygotes: Zygotes, is_over: threading.Event) -> bool:
    while not is_over.is_set():
        if any(map(is_holding, _found(zygotes))):
            return True
        is_over.wait(0.02)
    return False


def _found(zygotes: Zygotes) -> list[int]:
    with suppress(Exception):  # a box that has just gone cannot be asked
        return zygotes()
    return []


def _descendants(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield int(child)
            yield from _descendants(int(child))


def _is_held(pid: int) -> bool:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        blocked = next(line for line in lines if line.startswith("SigBlk:")).split()[1]
        # Not by SIGCONT itself: what is waited for does not count as blocked meanwhile.
        return bool(int(blocked, 16) >> (signal.SIGURG - 1) & 1)
    return False
