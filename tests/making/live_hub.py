"""A real hub in a process of its own, on loopback, with its own data folder."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START_SECONDS = 240
# What a hub limits by the clock must not depend on how fast the tests come, or how slow the machine is.
_PATIENT = {
    "VERIHUB_SERVER_LIMITS__LOGINS_BURST": "10000",
    "VERIHUB_SERVER_LIMITS__WRITES_BURST": "100000",
    "VERIHUB_SERVER_LIMITS__INSPECT_SECONDS": "240",
    "VERIHUB_SERVER_EXECUTION__WAIT_SECONDS": "240",
}
_LOCAL = {"VERIHUB_SERVER_SANDBOX__BACKEND": "local", "VERIHUB_SERVER_SANDBOX__TRUSTED": "true"}


@contextmanager
def live_hub(data: Path, environment: dict[str, str] | None = None) -> Iterator[str]:
    """``verihub serve`` on a free port; yields its address. Packages run as plain processes: they are the tests' own."""
    command = [sys.executable, "-m", "hub_client.commands.main", "serve", "--port", "0", "--data", str(data)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VERIHUB_")}
    log = data.parent / f"{data.name}.log"
    with log.open("wb") as sink:
        server = subprocess.Popen(
            command,
            stdout=sink,
            stderr=sink,
            env={**kept, **_PATIENT, **(environment or _LOCAL)},
            start_new_session=True,
        )
    try:
        address = _wait_for_address(server, log)
        _wait_until_it_answers(address)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until_it_answers(address: str) -> None:
    host, _, port = address.removeprefix("http://").partition(":")
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _wait_for_address(server: "subprocess.Popen[bytes]", log: Path) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        found = re.search(r"Verihub is at (http://\S+)", log.read_text())
        if found:
            return found[1]
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError(f"the hub did not start:\n{log.read_text()}")
