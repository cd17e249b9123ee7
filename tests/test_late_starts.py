"""With late starts a test that takes a start for granted fails, and one that waits for it passes."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

TESTS = """
import subprocess, sys, threading, time

def has_begun_at_once():
    begun = threading.Event()
    thread = threading.Thread(target=begun.set)
    thread.start()
    found = begun.wait(0.02)
    thread.join(60)
    return found

def ends_at_once():
    with subprocess.Popen(["true"]) as child:
        try:
            return child.wait(0.1) == 0
        except subprocess.TimeoutExpired:
            return False

def test_a_thread_has_begun(): assert all(has_begun_at_once() for _ in range(300))
def test_a_child_has_ended(): assert all(ends_at_once() for _ in range(300))

def test_starters_are_late_too():
    for _ in range(300):
        began = time.monotonic()
        threading.Thread(target=int).start()
        assert time.monotonic() - began < 0.1

def test_whoever_waits_is_served():
    for _ in range(3):
        begun = threading.Event()
        threading.Thread(target=begun.set).start()
        assert begun.wait(60)
        done = subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout == "7\\n"
"""


def test_what_takes_a_start_for_granted_fails_and_what_waits_passes(tmp_path: Path) -> None:
    (tmp_path / "test_starts.py").write_text(TESTS)
    options = ["-q", "-p", "scripts.late_starts", "-c", os.devnull, "--rootdir", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, tmp_path / "test_starts.py"],
        cwd=ROOT,
        env=os.environ | {"VERIHUB_LATE_SECONDS": "0.5", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    said = done.stdout
    assert "3 failed, 1 passed" in said, said
    assert "FAILED" in said
    assert "test_whoever_waits_is_served" not in said.split("short test summary")[1], said
