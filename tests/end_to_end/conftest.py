"""A hub as its users start it: ``verihub serve`` on a folder, driven by the command line."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

VERIHUB = Path(sys.executable).with_name("verihub")
PASSWORD = "correct horse battery staple"


class ServedHub:
    """One ``verihub serve`` process, which can be killed and started again on the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [VERIHUB, "serve", "--port", str(self.port), "--data", str(self.folder / "data")]
        with (self.folder / "hub.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (self.folder / "hub.log").read_text()
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            time.sleep(0.1)
        pytest.fail("the hub did not become ready: " + (self.folder / "hub.log").read_text())

    def kill(self) -> None:
        """kill -9, as a crash would."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


class Person:
    """Somebody at a shell: an account with its own home folder."""

    def __init__(self, hub: ServedHub, home: Path, name: str) -> None:
        self.hub, self.home, self.name = hub, home, name
        home.mkdir(parents=True, exist_ok=True)

    def run(self, *arguments: str, stdin: str = "", expect: int = 0) -> str:
        """Run ``verihub``; fail with everything it printed when the exit code is another."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("VERIHUB_", "XDG_"))}
        environment |= {"HOME": str(self.home), "VERIHUB_URL": self.hub.url, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [VERIHUB, *arguments],
            input=stdin,
            env=environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == expect, f"{arguments} -> {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout if expect == 0 else done.stdout + done.stderr

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run("--format", "json", *arguments))

    def sign_up(self) -> None:
        self.run(
            "login",
            "--name",
            self.name,
            "--sign-up",
            f"{self.name}@example.org",
            "--password-stdin",
            stdin=PASSWORD + "\n",
        )


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHub]:
    served = ServedHub(tmp_path_factory.mktemp("hub"))
    served.start()
    yield served
    served.stop()


@pytest.fixture
def serve_hub() -> Iterator[Callable[[Path], ServedHub]]:
    """Start a hub on a folder; stopped at the end of the test."""
    started: list[ServedHub] = []

    def serve(folder: Path) -> ServedHub:
        started.append(ServedHub(folder))
        started[-1].start()
        return started[-1]

    yield serve
    for served in started:
        served.stop()


@pytest.fixture
def make_person() -> type[Person]:
    """``make_person(hub, home, name)``."""
    return Person


@pytest.fixture(scope="module")
def alice(hub: ServedHub, tmp_path_factory: pytest.TempPathFactory) -> Person:
    person = Person(hub, tmp_path_factory.mktemp("alice"), "alice")
    person.sign_up()
    return person
