"""Beside a busy thread a test that takes another thread's speed for granted fails, and one that waits for it passes."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

TESTS = """
import threading, time

def longest_step():
    longest, until = 0, time.monotonic() + 3
    while time.monotonic() < until and longest < 0.003:
        began = time.monotonic()
        time.sleep(0)
        longest = max(longest, time.monotonic() - began)
    return longest

def test_two_steps_follow_each_other_at_once(): assert longest_step() < 0.003

def test_whoever_waits_is_served():
    for _ in range(200):
        done = threading.Event()
        threading.Thread(target=done.set).start()
        assert done.wait(60)
"""


def test_what_takes_a_threads_speed_for_granted_fails_and_what_waits_passes(tmp_path: Path) -> None:
    (tmp_path / "test_threads.py").write_text(TESTS)
    options = ["-q", "-p", "scripts.busy_interpreter", "-c", os.devnull, "--rootdir", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, tmp_path / "test_threads.py"],
        cwd=ROOT,
        env=os.environ | {"VERIHUB_BUSY_SECONDS": "0.3", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout
