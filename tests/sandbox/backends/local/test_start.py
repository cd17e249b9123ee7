"""What root becomes before a stranger's code runs: seen by a program that is started as a guest is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.local import backend
from tests.making.open_folder import open_folder

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="about what root gives up")
UID = 61_234
GUEST = """
import ctypes, json, os, subprocess, sys

def tried(work, *arguments):
    try:
        return str(work(*arguments))
    except OSError as error:
        return type(error).__name__

def status():
    lines = open("/proc/self/status").read().splitlines()
    return {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}

found = status()
print(json.dumps({
    "ids": [*os.getresuid(), *os.getresgid(), *os.getgroups()],
    "capabilities": {name: int(found[name][0], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")},
    "no_new_privs": found["NoNewPrivs"],
    "rise": [tried(os.setuid, 0), tried(os.setresuid, 0, 0, 0), tried(os.setgid, 0), tried(os.setgroups, [0])],
    "kill": tried(os.kill, PARENT, 0),
    "hidden": tried(lambda: open(HIDDEN).read()),
    "write": tried(lambda: open(HIDDEN, "a").write("x")),
    "setuid program": subprocess.run([SETUID, "-u"], capture_output=True, text=True).stdout.strip(),
    "child": subprocess.run(["cat", HIDDEN], capture_output=True, text=True).stdout,
    "arguments": sys.argv,
}))
"""


def become(*more: str) -> dict[str, Any]:
    """What the guest finds out."""
    with open_folder() as folder:
        hidden = folder / "hidden"
        hidden.write_text("root's own")
        hidden.chmod(0o600)
        setuid = Path(shutil.copy(shutil.which("id") or "", folder / "id"))
        setuid.chmod(0o4755)
        guest = folder / "guest.py"
        guest.write_text(
            GUEST.replace("HIDDEN", repr(str(hidden)))
            .replace("PARENT", str(os.getpid()))
            .replace("SETUID", repr(str(setuid)))
        )
        guest.chmod(0o644)
        command = [sys.executable, "-I", str(backend._START), str(UID), str(guest), *more]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert hidden.read_text() == "root's own"
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["arguments"] == [str(guest)]
    return found


NEEDS_READ = not backend._is_open_to_others(Path(sys.executable))
"""An interpreter in a folder of root's alone cannot be started by anybody else."""


@pytest.mark.parametrize("may_read", [False, True], ids=["plain", "read"])
def test_root_is_given_up_for_good(may_read: bool) -> None:
    if NEEDS_READ and not may_read:
        may_read = True  # as the backend decides it too
    found = become(*["read"] if may_read else [])
    assert found["ids"] == [UID] * 6
    assert found["rise"] == ["PermissionError"] * 4
    assert found["kill"] == "PermissionError"
    assert found["write"] == "PermissionError"
    assert found["no_new_privs"] == ["1"]
    assert found["setuid program"] == str(UID), "no program makes it root again"
    only_reading = 1 << 2 if may_read else 0
    assert found["capabilities"] == dict.fromkeys(("CapEff", "CapPrm", "CapInh", "CapAmb"), only_reading)
    expected = "root's own" if may_read else "PermissionError"
    assert found["hidden"] == expected
    assert found["child"] == ("root's own" if may_read else "")


@pytest.mark.parametrize("arguments", [["guest.py"], ["nobody", "guest.py"], ["-1", "guest.py"], ["0", "guest.py"]])
def test_without_a_uid_to_become_nothing_is_run(tmp_path: Path, arguments: list[str]) -> None:
    guest = tmp_path / "guest.py"
    guest.write_text("print('ran')")
    command = [sys.executable, "-I", str(backend._START), *arguments[:-1], str(guest)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "ran" not in done.stdout
