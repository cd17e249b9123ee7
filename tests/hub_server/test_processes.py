"""Several processes behind one socket: one that dies is replaced, and all of them go when the first one goes."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub_server.processes import Processes
from tests.sandbox.guest.forked import in_child

PROGRAM = """
import os, signal, sys, threading
from hub_server.processes import Processes

def serve(number):
    if sys.argv[1] == "unusable":
        return 8
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: sys.argv[1] == "stubborn" or stopped.set())
    os.write(1, f"process {number} is {os.getpid()}\\n".encode())  # in one piece: both speak at once
    while not stopped.wait(0.02):
        pass
    return 0

say = lambda sentence: print(sentence, flush=True)
sys.exit(Processes(2, serve, say, stop_seconds=float(sys.argv[2])).run())
"""


class Started:
    def __init__(self, behaviour: str, stop_seconds: float = 60) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, behaviour, str(stop_seconds)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )

    def next_child(self) -> tuple[int, int]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.match(r"process (\d) is (\d+)", line):
                return int(found[1]), int(found[2])
        raise AssertionError("no process was started")


@contextlib.contextmanager
def started(behaviour: str, stop_seconds: float = 60) -> Iterator[Started]:
    one = Started(behaviour, stop_seconds)
    yield one
    one.process.kill()
    one.process.communicate(timeout=60)


@pytest.fixture
def running() -> Iterator[Started]:
    with started("polite") as one:
        yield one


def is_gone(process: int) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_one_that_is_killed_is_replaced_under_its_number(running: Started) -> None:
    children = dict(running.next_child() for _ in range(2))
    os.kill(children[1], signal.SIGKILL)
    number, process = running.next_child()
    assert number == 1
    assert process != children[1]
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(60) == 0
    assert is_gone(children[0])
    assert is_gone(process)


def test_they_stop_when_the_first_process_is_killed(running: Started) -> None:
    children = dict(running.next_child() for _ in range(2))
    running.process.kill()
    assert all(is_gone(process) for process in children.values())


def test_settings_that_cannot_be_used_end_the_hub_with_their_status() -> None:
    with started("unusable") as one:
        assert one.process.wait(60) == 8


def test_who_does_not_stop_in_time_is_killed() -> None:
    with started("stubborn", stop_seconds=0.1) as one:
        children = dict(one.next_child() for _ in range(2))
        one.process.send_signal(signal.SIGTERM)
        assert one.process.wait(60) == 0
    assert all(is_gone(process) for process in children.values())


def test_one_that_ends_is_started_again_and_an_orphan_of_others_is_let_go(tmp_path: Path) -> None:
    said: list[str] = []

    def serve(number: int) -> int:
        if number == 0 and not (tmp_path / "once").exists():
            (tmp_path / "once").touch()
            if os.fork() == 0:
                os._exit(0)
            return 3
        while not (tmp_path / "once").exists():
            time.sleep(0.01)
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
        return 0

    def body() -> list[str]:  # in a child: it takes the status of every child of its process, and its signals
        if os.fork() == 0:  # nobody's process: to a first process of a container they come
            os._exit(0)
        assert Processes(1, serve, said.append, stop_seconds=60, pause_seconds=0).run() == 0
        return said

    told = in_child(body)
    assert len(told) == 1
    assert "ended with 3" in told[0]


def test_the_first_status_of_unusable_settings_is_what_the_hub_ends_with() -> None:
    assert in_child(Processes(2, lambda _: 8, lambda _: None, stop_seconds=60).run) == 8
