"""A hub as its users start it: ``verihub serve`` on a folder, driven by the command line."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.making.browser_visits import FilledHub, Visit, filled_hub, make_catalogue, open_chromium

_WAIT_SECONDS = 240
VERIHUB = Path(sys.executable).with_name("verihub")
PASSWORD = "correct horse battery staple"


class ServedHub:
    """One ``verihub serve`` process, which can be killed and started again on the same folder.

    Each start takes a free port, so that nobody else can have taken it: ``url`` changes.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.url = ""
        self.process: subprocess.Popen[bytes] | None = None
        self._environment = {**os.environ, **(environment or {})}

    @property
    def port(self) -> str:
        return self.url.rpartition(":")[2]

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / "hub.log"
        command = [VERIHUB, "serve", "--port", "0", "--data", str(self.folder / "data")]
        with log.open("wb") as sink:
            self.process = subprocess.Popen(
                command, stdout=sink, stderr=sink, start_new_session=True, env=self._environment
            )
        deadline = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < deadline:
            assert self.process.poll() is None, log.read_text()
            if found := re.search(r"Verihub is at (http://\S+)", log.read_text()):
                self.url = found[1]
                with contextlib.suppress(httpx.HTTPError):
                    if httpx.get(f"{self.url}/readyz", timeout=_WAIT_SECONDS).status_code == 200:
                        return
            time.sleep(0.05)
        pytest.fail("the hub did not become ready: " + log.read_text())

    def kill(self) -> None:
        """kill -9, as a crash would."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(_WAIT_SECONDS)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(60)
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

    def log_in(self) -> None:
        """Again, after a restart: tokens are kept by address, and the hub has another one."""
        self.run("login", "--name", self.name, "--password-stdin", stdin=PASSWORD + "\n")


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHub]:
    """One for all files that share a process (``together("end_to_end")``): to start one costs 3 s of CPU."""
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


@pytest.fixture(scope="session")
def alice(hub: ServedHub, tmp_path_factory: pytest.TempPathFactory) -> Person:
    person = Person(hub, tmp_path_factory.mktemp("alice"), "alice")
    person.sign_up()
    return person


@pytest.fixture(scope="module")
def chromium(catalogue_folder: Path) -> Iterator[Any]:
    """One browser a file. While it is open this thread has a running loop, so a catalogue is made before."""
    pytest.importorskip("playwright.sync_api")
    pytest.importorskip("axe_playwright_python")
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def catalogue_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_catalogue(tmp_path_factory.mktemp("catalogue"))


@pytest.fixture(scope="module")
def shown_hub(catalogue_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilledHub]:
    """A hub in this process with a measured catalogue, which the file's tests share."""
    with filled_hub(catalogue_folder, tmp_path_factory.mktemp("shown")) as hub:
        yield hub


@pytest.fixture
def visit(chromium: Any, shown_hub: FilledHub) -> Iterator[Callable[..., Visit]]:
    """``visit(script=False)``: a fresh profile at the shown hub. What it found wrong fails the test at its end."""
    visits: list[Visit] = []

    def begin(*, script: bool = True) -> Visit:
        visits.append(Visit(chromium, shown_hub, script=script))
        return visits[-1]

    yield begin
    for one in visits:
        one.close()
    assert [fault for one in visits for fault in one.faults] == []
