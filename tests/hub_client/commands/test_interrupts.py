"""Ctrl-C in a real process, in the middle of work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.making.project import make_project

SLOW = "import time\n\n\ndef verify(task, response):\n    time.sleep(1)\n    return {'correct': 1.0}\n"


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


def children_of(pid):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.split()


@pytest.mark.slow
def test_an_audit_that_is_interrupted_ends_soon_with_130_and_leaves_no_process(tmp_path) -> None:
    folder = make_project(tmp_path / "slow", files={"__init__.py": SLOW})
    process = start("audit", folder, "--markdown", tmp_path / "report.md")
    deadline = time.monotonic() + 30
    while not children_of(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    boxes = children_of(process.pid)
    assert boxes
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == ""
    assert err.endswith("verihub: interrupted; nothing was left half-written\n")
    assert not (tmp_path / "report.md").exists()
    assert [pid for pid in boxes if Path(f"/proc/{pid}").exists()] == []


@pytest.mark.slow
def test_a_pack_that_is_interrupted_writes_nothing(tmp_path) -> None:
    folder = make_project(tmp_path / "x")
    backend = "import time\n\n\ndef build_wheel(*_):\n    time.sleep(60)\n"
    (folder / "backend.py").write_text(backend)
    pyproject = folder / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace('"hatchling.build"', '"backend"\nbackend-path = ["."]'))
    process = start("pack", folder, "--trust-build", "--out", tmp_path / "dist")
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not (tmp_path / "dist").exists()
