"""A pool like Python's own, but for the end of a program."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from sandbox.backends.docker.daemon_threads import DaemonThreads


@pytest.fixture
def threads() -> Iterator[DaemonThreads]:
    made = DaemonThreads(2, name="test")
    yield made
    made.shutdown()


def test_what_was_submitted_is_done_and_its_faults_reach_who_waits(threads: DaemonThreads) -> None:
    assert [each.result(20) for each in [threads.submit(pow, 2, number) for number in range(20)]][10] == 1024
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(20)
    assert threads.submit(int, "7").result(20) == 7, "a thread outlives a fault"


def test_no_more_threads_than_were_asked_for_and_no_fewer_than_are_needed(threads: DaemonThreads) -> None:
    both = threading.Barrier(3)
    held = [threads.submit(both.wait, 20) for _ in range(2)]
    third = threads.submit(threading.current_thread)
    assert not third.done()
    both.wait(20)
    for each in held:
        each.result(20)
    assert third.result(20).name in ("test-0", "test-1")


def test_one_free_thread_is_used_again(threads: DaemonThreads) -> None:
    first = threads.submit(threading.get_ident).result(20)
    deadline = time.monotonic() + 20
    while threads._free == 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert threads.submit(threading.get_ident).result(20) == first


def test_what_has_not_begun_is_cancelled_and_nothing_more_is_taken(threads: DaemonThreads) -> None:
    both_began, may_end = threading.Barrier(3), threading.Event()

    def hold() -> bool:
        both_began.wait(20)
        return may_end.wait(20)

    held = [threads.submit(hold) for _ in range(2)]
    both_began.wait(20)  # what no thread has taken yet would be cancelled as well
    waits = threads.submit(int)
    threads.shutdown(wait=False, cancel_futures=True)
    with pytest.raises(CancelledError):
        waits.result(20)
    with pytest.raises(RuntimeError):
        threads.submit(int)
    may_end.set()
    assert [each.result(20) for each in held] == [True, True]


def test_a_program_ends_although_a_call_hangs() -> None:
    program = """
import threading
from sandbox.backends.docker.daemon_threads import DaemonThreads
began = threading.Event()
def hang():
    began.set()
    threading.Event().wait()
DaemonThreads(1, name="test").submit(hang)
assert began.wait(20)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0
