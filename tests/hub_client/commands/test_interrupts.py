"""Ctrl-C in a real process, in the middle of work."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.making.open_folder import open_folder
from tests.making.project import make_project

WAIT_SECONDS = 120
ENDLESS = """import os
import pathlib
import time

HOME, WARMED = os.getpid(), []


def {name}(*_):
    if os.getpid() == HOME:
        WARMED.append(1)
    if {where}:
        pathlib.Path({began!r}).touch()
        while True:
            time.sleep(60)
    return {{"correct": 1.0}}
"""
WARMING_UP, JUDGING = "not WARMED", "WARMED and os.getpid() != HOME"
"""A box rehearses its examples in a child, runs them itself, and then judges in children of its own."""

# A parent that runs in the background may have made its children deaf to Ctrl-C.
COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from hub_client.commands.main import main; main()"
)


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "VERIHUB_BACKEND": "local", "VERIHUB_SANDBOX_TRUST_LOCAL_CODE": "true"},
    )


def descendants_of(pid: int) -> list[str]:
    """Every process below this one that runs now."""
    found = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in found.stdout.splitlines()]
    below = [str(pid)]
    for one in below:
        below += [child for child, parent in rows if parent == one]
    return below[1:]


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("where", [WARMING_UP, JUDGING])
def test_an_audit_that_is_interrupted_ends_with_130_and_leaves_no_process(tmp_path, where: str) -> None:
    with open_folder() as shared:
        began = shared / "began"
        code = ENDLESS.format(name="verify", where=where, began=str(began))
        folder = make_project(tmp_path / "slow", files={"__init__.py": code})
        process = start("audit", folder, "--markdown", tmp_path / "report.md")
        wait_until(lambda: began.exists() or process.poll() is not None)
    boxes = descendants_of(process.pid)
    assert boxes
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 130
    assert out == ""
    assert err.endswith("verihub: interrupted; nothing was left half-written\n")
    assert not (tmp_path / "report.md").exists()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in boxes))


@pytest.mark.slow
def test_a_pack_that_is_interrupted_writes_nothing(tmp_path) -> None:
    folder, began = make_project(tmp_path / "x"), tmp_path / "began"
    (folder / "backend.py").write_text(ENDLESS.format(name="build_wheel", where="True", began=str(began)))
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('"hatchling.build"', '"backend"\nbackend-path = ["."]'))
    process = start("pack", folder, "--trust-build", "--out", tmp_path / "dist")
    wait_until(lambda: began.exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not (tmp_path / "dist").exists()
