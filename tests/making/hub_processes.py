"""The processes of one hub on PostgreSQL and an S3 store, each of which can be killed and started again.

They are forked from a server that has loaded the hub's code, so that a process costs a tenth of a second to start.
"""

import contextlib
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import psycopg
from moto.server import ThreadedMotoServer

from tests.making.free_ports import free_port

_SECONDS = 240
_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["hub_server.cli"])


def wait_until(holds: Callable[[], Any], what: str) -> Any:
    """What ``holds`` returns once it is true."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError, psycopg.Error):
            if found := holds():
                return found
        time.sleep(0.05)
    raise AssertionError(f"after {_SECONDS} s: not {what}")


def _run(command: str, options: dict[str, Any], environment: Mapping[str, str], log: str) -> None:
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(sink, descriptor)
    os.environ.update(environment)
    from hub_server import cli  # noqa: PLC0415 -- loaded by the forkserver

    getattr(cli, command)(**options)


def run_to_its_end(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> tuple[int, str]:
    """The exit status of ``python -m hub_server`` with these arguments, and all that it printed."""
    process = _context.Process(target=_run_command, args=(list(arguments), dict(environment), str(log)))
    process.start()
    process.join(_SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join(60)
        raise AssertionError(f"after {_SECONDS} s it has not ended: {log.read_text()}")
    return process.exitcode, log.read_text()


def _run_command(arguments: list[str], environment: Mapping[str, str], log: str) -> None:
    sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(sink, descriptor)
    os.environ.update(environment)
    from hub_server.__main__ import app  # noqa: PLC0415 -- loaded by the forkserver

    app(arguments)


class HubProcess:
    """``verihub serve`` or ``verihub worker``."""

    def __init__(self, command: str, environment: Mapping[str, str], folder: Path, **options: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "log"
        self.process: Any = None
        self._arguments = (command, {"data": folder, **options}, dict(environment), str(self.log))
        self.url = f"http://127.0.0.1:{options['port']}" if "port" in options else ""

    def start(self) -> None:
        self.launch()
        self.await_ready()

    def launch(self) -> None:
        self.process = _context.Process(target=_run, args=self._arguments)
        self.process.start()

    def await_ready(self) -> None:
        ready = f"{self.url}/readyz"
        if self.url:
            wait_until(lambda: httpx.get(ready, timeout=60).status_code == 200, f"ready, see {self.log}")
        else:
            wait_until(lambda: self.log.exists() and "Working for" in self.log.read_text(), "working")

    def kill(self) -> None:
        """kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.join(60)

    def stop(self) -> int | None:
        """SIGTERM; the exit status."""
        self.process.terminate()
        self.process.join(60)
        if self.process.exitcode is None:
            self.kill()
        return self.process.exitcode


class Postgres:
    """A cluster of its own on a Unix socket. ``options`` are more ones of ``initdb``."""

    def __init__(self, *options: str) -> None:
        self._binaries = max(Path("/usr/lib/postgresql").glob("*/bin"))
        self._folder = folder = Path(tempfile.mkdtemp(prefix="verihub-pg-"))  # its user must reach it
        self._user = "postgres" if os.getuid() == 0 else None
        if self._user is not None:
            shutil.chown(folder, self._user, self._user)
        initialise = [self._binaries / "initdb", "-D", folder / "data", "-U", "postgres", "--auth=trust", "--no-sync"]
        subprocess.run([*initialise, *options], user=self._user, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.url = f"postgresql://postgres@/postgres?host={folder}"

    def start(self) -> None:
        command = [
            self._binaries / "postgres",
            "-D",
            self._folder / "data",
            "-k",
            self._folder,
            "-c",
            "listen_addresses=",
        ]
        self._server = subprocess.Popen(
            [*command, "-c", "fsync=off"], user=self._user, cwd=self._folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        wait_until(lambda: psycopg.connect(f"host={self._folder} user=postgres").close() is None, "a database")

    @property
    def has_ended(self) -> bool:
        """Whether the server gave up by itself, as it does where it cannot recover from a crash."""
        return self._server.poll() is not None

    def kill(self) -> None:
        """kill -9 of the server and all its processes; its disk stays."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._server.pid, signal.SIGKILL)
        self._server.wait(60)

    def remove(self) -> None:
        """For good."""
        self.kill()
        shutil.rmtree(self._folder)


class Store:
    """An S3 server in threads of this process. Stopped and started again, it has what it had."""

    def __init__(self) -> None:
        self.port = free_port()
        self.environment = {
            "AWS_ENDPOINT": f"http://127.0.0.1:{self.port}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
            "VERIHUB_SERVER_STORAGE__BLOBS_URL": "s3://hub/blobs",
        }  # fmt: skip

    def start(self) -> None:
        self._server = ThreadedMotoServer("127.0.0.1", self.port, verbose=False)
        self._server.start()
        httpx.put(f"http://127.0.0.1:{self.port}/hub", timeout=60)

    def stop(self) -> None:
        self._server.stop()


def names_of(log: Path) -> list[str]:
    """Packages whose jobs a worker has ended."""
    return re.findall(r"job (\S+) .* is done", log.read_text())
