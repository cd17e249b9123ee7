"""Doors: the socket by which a box reaches its host."""

import asyncio
import socket
from pathlib import Path

import pytest

from sandbox.backends import make_backend
from sandbox.backends.docker import DockerBackend
from sandbox.backends.door import DoorFrame
from sandbox.interface import Call
from sandbox.running import Sandbox
from sandbox.samples import TASK, Sample
from sandbox.settings import SandboxSettings

EQUAL = Sample("def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n", name="door")


def test_a_door_is_gone_when_somebody_has_come_through(tmp_path: Path) -> None:
    frame = DoorFrame(tmp_path / "owner-0.doors")
    door = frame.make()
    inside = Path(door.mount["Source"]) / "line"
    assert door.mount["ReadOnly"]
    with pytest.raises(BlockingIOError):
        door.take()
    with socket.socket(socket.AF_UNIX) as guest:
        guest.connect(str(inside))
        with door.take() as host:
            guest.sendall(b"hello")
            host.setblocking(True)
            assert host.recv(16) == b"hello"
    assert not inside.exists()
    assert not inside.parent.exists()


def test_a_path_longer_than_a_socket_may_have_is_no_matter(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir(mode=0o700)
    door = DoorFrame(deep / "owner-0.doors").make()
    assert (Path(door.mount["Source"]) / "line").is_socket()
    door.close()


def test_no_doors_are_built_where_others_may_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(OSError, match="others may write"):
        DoorFrame(tmp_path / "owner-0.doors")


def test_what_a_dead_owner_left_goes_with_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "owner-0.doors"
    (folder / "left").mkdir(parents=True)
    DoorFrame(folder)
    assert list(folder.iterdir()) == []


@pytest.mark.docker
@pytest.mark.parametrize("what", ["doors", "no-doors", "unseen"])
def test_boxes_work_with_and_without_doors(tmp_path: Path, what: str) -> None:
    """``unseen``: the engine does not see our folders, as when we run in a container ourselves."""
    settings = SandboxSettings(state_folder=tmp_path / "state", use_doors=what != "no-doors")
    backend = make_backend("docker", settings)
    assert isinstance(backend, DockerBackend)
    if what == "unseen":
        backend._doors = _Unseen()  # type: ignore[assignment]

    async def run() -> list[float | None]:
        async with Sandbox(backend, settings) as sandbox:
            calls = [Call(str(number), TASK, response=str(number)) for number in range(4)]
            rows = [verdict.rewards["correct"] async for _, verdict in sandbox.score(EQUAL.source(tmp_path), calls)]
            assert backend._has_doors == (what == "doors")
            return rows

    assert sorted(asyncio.run(run()), key=str) == [0.0, 0.0, 0.0, 1.0]


class _Unseen:
    """Makes doors whose folder has vanished before the engine looks."""

    def __init__(self) -> None:
        self.mount = {"Type": "bind", "Source": "/nowhere/at/all", "Target": "/run/verihub", "ReadOnly": True}
        self.path_inside = "/run/verihub/line"

    def make(self) -> "_Unseen":
        return self

    def close(self) -> None:
        pass

    def remove(self) -> None:
        pass
