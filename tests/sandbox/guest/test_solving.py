import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from sandbox.guest.solving import _exits_within, _is_starved


@pytest.fixture
def spinner() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) as process:
        yield process.pid
        process.kill()


@pytest.fixture
def sleeper() -> Iterator[int]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


def test_a_program_that_sleeps_is_not_starved_and_ends_on_time(sleeper: int) -> None:
    time.sleep(0.2)
    assert not _is_starved(sleeper, 10)
    started = time.monotonic()
    assert not _exits_within(sleeper, 0.3)
    assert time.monotonic() - started < 0.3 * 3


def test_a_program_that_had_its_time_is_not_starved(spinner: int) -> None:
    deadline = time.monotonic() + 30
    while _is_starved(spinner, 0.3) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_starved(spinner, 0.3)


def test_a_program_that_wants_to_run_and_was_not_let_is_starved(spinner: int) -> None:
    os.kill(spinner, 0)
    seen = [_is_starved(spinner, 1000) for _ in range(50)]
    assert any(seen)


def test_an_end_is_seen_at_once() -> None:
    with subprocess.Popen(["true"]) as process:
        assert _exits_within(process.pid, 20)
