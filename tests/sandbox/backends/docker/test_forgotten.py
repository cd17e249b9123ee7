"""Boxes that their engine has forgotten are ended by their client, or by the next one of a client that was killed."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.backends.docker import cgroups
from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.connection import DockerConnection
from sandbox.backends.docker.forgotten import end_box, end_boxes_of
from sandbox.checks.harm.own_engine import OwnEngine
from sandbox.images.settings import ImageSettings
from sandbox.settings import SandboxSettings
from tests.sandbox.backends.docker.test_killed_client import SPEC, Deaf

PATIENCE_SECONDS = 60.0
BOX = "3f9a" * 16


@pytest.fixture
def process() -> Iterator[int]:
    """One that has been stopped, as a box may be: it cannot end by itself."""
    with subprocess.Popen(["sleep", "1000"]) as sleeping:
        sleeping.send_signal(signal.SIGSTOP)
        yield sleeping.pid
        sleeping.kill()


def cgroup(root: Path, *pids: int, box: str = BOX) -> Path:
    folder = root / "memory" / "docker" / box
    folder.mkdir(parents=True)
    (folder / "cgroup.procs").write_text("".join(f"{pid}\n" for pid in pids))
    return root


def test_all_processes_of_a_box_are_killed_stopped_or_not(tmp_path: Path, process: int) -> None:
    assert end_box(BOX, cgroup(tmp_path, process))
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL


def test_a_paused_box_goes_on_so_that_it_can_end(tmp_path: Path, process: int) -> None:
    """Version 1 keeps even SIGKILL from frozen processes."""
    state = tmp_path / "freezer" / "docker" / BOX / "freezer.state"
    state.parent.mkdir(parents=True)
    state.write_text("FROZEN")
    end_box(BOX, cgroup(tmp_path, process))
    assert state.read_text() == "THAWED"


def test_where_no_processes_are_to_be_seen_nothing_is_ended(tmp_path: Path) -> None:
    """An engine elsewhere, or a box that has ended already."""
    assert not end_box(BOX, tmp_path)
    assert not end_box("another", cgroup(tmp_path, 2**22 + 1))
    assert end_box(BOX, tmp_path), "it has ended since"


def test_processes_that_have_no_number_here_are_none(tmp_path: Path) -> None:
    """The kernel writes 0 for those outside of a client's own pid namespace, and to kill 0 is to kill our own group."""
    command = [sys.executable, "-c", END_IT, str(cgroup(tmp_path, 0)), BOX]
    ended = subprocess.run(command, check=False, start_new_session=True, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "False\n")


def test_a_number_that_another_process_was_given_meanwhile_is_not_killed(
    tmp_path: Path, process: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the reading of a list and the killing a client may be stopped for as long as anybody likes."""
    lists = iter([[process], []])
    monkeypatch.setattr(cgroups, "processes_of", lambda *_: next(lists))
    end_box(BOX, tmp_path)
    assert os.waitpid(process, os.WNOHANG) == (0, 0), "it lives"


def test_only_boxes_of_the_named_users_are_ended(tmp_path: Path, process: int) -> None:
    """Other engines and other clients have boxes here too, and the engine that is asked lists none of them."""
    cgroup(tmp_path, process)
    cgroup(tmp_path, box="0" * 64)
    assert end_boxes_of({os.getuid() + 1}, [BOX, "0" * 64], tmp_path) == []
    os.kill(process, 0)
    assert end_boxes_of({os.getuid()}, [BOX, "0" * 64], tmp_path) == [BOX]


END_IT = """
import sys
from pathlib import Path
from sandbox.backends.docker.forgotten import end_box
print(end_box(sys.argv[2], Path(sys.argv[1])))
"""

# -- a real engine ---------------------------------------------------------------------------------------------------

CLIENT = """
import asyncio, sys
from pathlib import Path
from tests.sandbox.backends.docker.test_forgotten import SPEC, Deaf, backend_of

async def hold():
    box = await backend_of(sys.argv[1], Path(sys.argv[2])).open(SPEC, Deaf())
    print(box.container, flush=True)
    await asyncio.Event().wait()

asyncio.run(hold())
"""


def backend_of(url: str, folder: Path) -> DockerBackend:
    settings = SandboxSettings(docker_url=url, state_folder=folder / "state")
    return DockerBackend(settings, ImageSettings(cache_folder=folder / "images", registry_image=""))


def forget(engine: OwnEngine, *boxes: str) -> None:
    """What a full disk and a kill do to an engine that is starting boxes: they run, and it has no note of them."""
    engine.kill()
    for box in boxes:
        shutil.rmtree(engine.data / "docker" / "containers" / box)
    engine.start()
    assert engine.boxes() == []


@pytest.mark.docker
@pytest.mark.slow
def test_stopped_boxes_that_an_engine_has_forgotten_end_with_their_clients(
    own_engine: OwnEngine, tmp_path: Path
) -> None:
    """Nobody else ends them: the engine does not list them, and they cannot hear that their line has ended."""
    command = [sys.executable, "-c", CLIENT, own_engine.url, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        try:
            asyncio.run(_boxes_end(own_engine, tmp_path, client.stdout.readline().strip(), client.kill))
        finally:
            client.kill()


async def _boxes_end(engine: OwnEngine, folder: Path, of_another: str, kill_it: Callable[[], None]) -> None:
    backend = backend_of(engine.url, folder)
    given_up, in_use = [await backend.open(SPEC, Deaf()) for _ in range(2)]
    assert isinstance(given_up, DockerConnection)
    assert isinstance(in_use, DockerConnection)
    boxes = [of_another, given_up.container, in_use.container]
    for box in boxes:
        [zygote] = cgroups.processes_of(box)
        os.kill(zygote, signal.SIGSTOP)
    forget(engine, *boxes)
    assert backend._reap() == [], "all have an owner"
    assert backend._owner is not None
    backend._owner.return_uid(backend._owner._first_uid)  # as for a box whose engine was killed while it started
    assert backend._reap() == [given_up.container]
    kill_it()
    wait_until(lambda: of_another in backend._reap())  # the one before may not have ended yet, and is told again
    wait_until(lambda: not cgroups.processes_of(of_another) + cgroups.processes_of(given_up.container))
    assert len(cgroups.processes_of(in_use.container)) == 1, "it works still"
    await in_use.kill()
    wait_until(lambda: not cgroups.processes_of(in_use.container))
    await given_up.kill()
    await backend.aclose()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, f"not so within {PATIENCE_SECONDS:g} s"
        time.sleep(0.05)
