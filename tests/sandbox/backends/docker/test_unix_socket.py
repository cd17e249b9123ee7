"""The socket by which a box reaches its host."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from sandbox.backends import make_backend
from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.unix_socket import SocketFolder
from sandbox.checks.samples import TASK, Sample
from sandbox.interface import Call
from sandbox.sandbox import Sandbox
from sandbox.settings import SandboxSettings

EQUAL = Sample("def verify(task, response):\n    return {'correct': float(response == task['answer'])}\n", name="door")


def test_a_socket_is_gone_when_somebody_has_come_through(tmp_path: Path) -> None:
    frame = SocketFolder(tmp_path / "owner-0.sockets")
    box_socket = frame.make()
    inside = Path(box_socket.mount["Source"]) / "line"
    assert box_socket.mount["ReadOnly"]
    with pytest.raises(BlockingIOError):
        box_socket.accept()
    with socket.socket(socket.AF_UNIX) as guest:
        guest.connect(str(inside))
        with box_socket.accept() as host:
            guest.sendall(b"hello")
            host.setblocking(True)
            assert host.recv(16) == b"hello"
    assert not inside.exists()
    assert not inside.parent.exists()


def test_a_path_longer_than_a_socket_may_have_is_no_matter(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir(mode=0o700)
    box_socket = SocketFolder(deep / "owner-0.sockets").make()
    assert (Path(box_socket.mount["Source"]) / "line").is_socket()
    box_socket.close()


def test_no_doors_are_built_where_others_may_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(OSError, match="others may write"):
        SocketFolder(tmp_path / "owner-0.sockets")


def test_what_a_dead_owner_left_goes_with_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "owner-0.sockets"
    (folder / "left").mkdir(parents=True)
    SocketFolder(folder)
    assert list(folder.iterdir()) == []


@pytest.mark.docker
@pytest.mark.parametrize("what", ["sockets", "no-sockets", "unseen", "macos"])
def test_boxes_work_with_and_without_sockets(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``unseen``: the engine does not see our folders, as when we run in a container ourselves.

    ``macos``: a client without Linux' own calls and files, of an engine in a virtual machine.
    """
    if what == "macos":
        for name in ("O_PATH", "sched_getaffinity", "memfd_create", "pidfd_open"):
            monkeypatch.delattr(os, name)
    settings = SandboxSettings(state_folder=tmp_path / "state", use_sockets=what != "no-sockets")
    backend = make_backend("docker", settings)
    assert isinstance(backend, DockerBackend)
    if what == "unseen":
        backend._sockets = _Unseen()  # type: ignore[assignment]

    async def run() -> list[float | None]:
        async with Sandbox(backend, settings) as sandbox:
            calls = [Call(str(number), TASK, response=str(number)) for number in range(4)]
            rows = [verdict.rewards["correct"] async for _, verdict in sandbox.score(EQUAL.source(tmp_path), calls)]
            assert backend._has_sockets == (what == "sockets")
            return rows

    assert sorted(asyncio.run(run()), key=str) == [0.0, 0.0, 0.0, 1.0]


class _Unseen:
    """Makes sockets whose folder has vanished before the engine looks."""

    def __init__(self) -> None:
        self.mount = {"Type": "bind", "Source": "/nowhere/at/all", "Target": "/run/verihub", "ReadOnly": True}
        self.path_inside = "/run/verihub/line"

    def make(self) -> "_Unseen":
        return self

    def close(self) -> None:
        pass

    def remove(self) -> None:
        pass
