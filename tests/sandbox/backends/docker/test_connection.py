"""A box's connection: streams first, then its socket; whichever breaks, the box hears of it exactly once."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sandbox.backends.docker.attached import Attached
from sandbox.backends.docker.connection import DockerConnection, StartedBox
from sandbox.backends.docker.unix_socket import SocketFolder
from sandbox.errors import SandboxUnavailableError
from sandbox.images.image_builder import BuiltImage
from sandbox.interface import BoxLayout
from tests.fakes.ray_cluster import until
from tests.sandbox.backends.docker.test_attached import piece
from tests.sandbox.clocks import run_without_waiting, settled

OUT, ERR = 1, 2
IMAGE = BuiltImage("verihub/package:1", "sha256:aa", "sha256:bb")


@dataclass
class Heard:
    """What reached the box."""

    data: bytes = b""
    ends: list[str] = field(default_factory=list)

    def received(self, data: bytes) -> None:
        assert not self.ends, "nothing comes after the end"
        self.data += data

    def closed(self, reason: str) -> None:
        self.ends.append(reason)


@dataclass
class Line:
    """A connection, the engine's end of its streams, and the guest's end of its socket."""

    connection: DockerConnection
    heard: Heard
    engine: socket.socket
    folder: Path | None
    releases: list[str]

    async def say(self, *pieces: bytes) -> None:
        self.engine.sendall(b"".join(pieces))
        await settled()

    async def come_in(self) -> socket.socket:
        """As the guest connects to its socket."""
        assert self.folder is not None
        guest = socket.socket(socket.AF_UNIX)
        guest.connect(str(next(self.folder.glob("*/line"))))
        guest.setblocking(False)
        await settled()
        return guest

    def read_streams(self) -> bytes:
        self.engine.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            return self.engine.recv(1 << 16)
        return b""


@contextlib.asynccontextmanager
async def opened(folder: Path | None = None, *, killed: bool | None = False) -> AsyncIterator[Line]:
    ours, engine = socket.socketpair()
    releases: list[str] = []

    async def release() -> None:
        releases.append("released")

    box_socket = SocketFolder(folder / "sockets").make() if folder else None

    async def was_killed() -> bool:
        if killed is None:
            raise SandboxUnavailableError("no Docker engine answers")
        await settled()
        assert not releases, "a container that is removed first looks killed"
        return killed

    started = StartedBox(IMAGE, "c1", Attached(ours), box_socket, release, was_killed)
    heard = Heard()
    connection = await DockerConnection.open(started, BoxLayout((), "/tmp", "x"), heard)
    try:
        yield Line(connection, heard, engine, folder / "sockets" if folder else None, releases)
    finally:
        await connection.kill()
        await settled()
        engine.close()


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_without_waiting(work())


def test_output_is_the_frames_and_errors_are_kept_for_people() -> None:
    async def work() -> None:
        async with opened() as line:
            whole = piece(OUT, b"fra") + piece(ERR, b"Traceback\n") + piece(OUT, b"me")
            for number in range(len(whole)):
                await line.say(whole[number : number + 1])
            assert line.heard.data == b"frame"
            assert line.connection.stderr_tail() == "Traceback"
            line.connection.send(b"back")
            await settled()
            assert line.read_streams() == b"back"

    run(work)


def test_a_flood_of_errors_keeps_its_end_only() -> None:
    async def work() -> None:
        async with opened() as line:
            for _ in range(8):
                await line.say(piece(ERR, b"x" * 32_000))
            await line.say(piece(ERR, b"the reason"))
            assert line.connection.stderr_tail().endswith("xthe reason")
            assert len(line.connection.stderr_tail()) == 4096

    run(work)


def test_the_end_of_the_streams_is_told_once() -> None:
    async def work() -> None:
        async with opened() as line:
            line.engine.close()
            await settled()
            assert line.heard.ends == ["the container ended"]
            line.connection.send(b"too late")
            await line.connection.kill()
            await line.connection.kill()
            assert line.heard.ends == ["the container ended"]
            assert line.releases == ["released"], "removed once"

    run(work)


def test_a_line_that_breaks_says_how() -> None:
    async def work() -> None:
        async with opened() as line:
            line.connection.connection_lost(ConnectionResetError(104, "Connection reset by peer"))
            assert line.heard.ends == ["the line to the container broke: [Errno 104] Connection reset by peer"]

    run(work)


@pytest.mark.parametrize(("killed", "told"), [(True, True), (False, False), (None, False)])
def test_who_ended_a_box_is_asked_before_it_is_removed(killed: bool | None, told: bool) -> None:
    async def work() -> None:
        async with opened(killed=killed) as line:
            line.engine.close()
            await settled()
            removing = asyncio.ensure_future(line.connection.kill())  # as a box does at once when its line closes
            assert await line.connection.was_killed() is told
            await removing
            assert line.releases == ["released"]

    run(work)


def test_a_box_that_we_end_was_not_killed_by_others() -> None:
    async def work() -> None:
        async with opened(killed=True) as line:
            await line.connection.kill()
            await settled()
            assert line.heard.ends == ["the container ended"]
            assert not await line.connection.was_killed()

    run(work)


def test_from_the_guests_coming_on_frames_go_by_its_socket_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as line:
            line.connection.send(b"START")
            await settled()
            assert line.read_streams() == b"START"
            with await line.come_in() as guest:
                line.connection.send(b"RUN")
                await settled()
                assert guest.recv(16) == b"RUN"
                assert line.read_streams() == b""
                guest.sendall(b"DONE")
                await settled()
                assert line.heard.data == b"DONE"

    run(work)


def test_nobody_else_can_come_in_after_the_guest(tmp_path: Path) -> None:
    """A call's child could connect too, and speak for the zygote."""

    async def work() -> None:
        async with opened(tmp_path) as line:
            path = next((tmp_path / "sockets").glob("*/line"))
            with await line.come_in() as guest, socket.socket(socket.AF_UNIX) as other:
                assert not path.exists()
                with pytest.raises(FileNotFoundError):
                    other.connect(str(path))
                guest.sendall(b"frame")
                await settled()
                assert line.heard.data == b"frame"

    run(work)


def test_two_that_knock_at_once_are_one_line_and_one_refusal(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as line:
            path = str(next((tmp_path / "sockets").glob("*/line")))
            with socket.socket(socket.AF_UNIX) as first, socket.socket(socket.AF_UNIX) as second:
                first.connect(path)
                second.connect(path)  # waits in the queue of the listening socket
                await settled()
                first.sendall(b"first")
                with contextlib.suppress(OSError):
                    second.sendall(b"second")
                await settled()
                assert line.heard.data == b"first"
                second.setblocking(False)
                with contextlib.suppress(ConnectionResetError):
                    assert second.recv(1) == b"", "its line is closed"

    run(work)


def test_an_engine_that_dies_costs_no_box_that_has_come_in(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as line:
            with await line.come_in() as guest:
                line.engine.close()
                await settled()
                assert line.heard.ends == []
                line.connection.send(b"RUN")
                await settled()
                assert guest.recv(16) == b"RUN"
                guest.sendall(b"DONE")
                await settled()
                assert line.heard.data == b"DONE"
                guest.close()
                await settled()
                assert line.heard.ends == ["the container ended"]

    run(work)


def test_when_the_guest_goes_its_last_words_are_waited_for(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as line:
            guest = await line.come_in()
            guest.close()
            await settled()
            assert line.heard.ends == [], "what it wrote to stderr may still be with the engine"
            await line.say(piece(ERR, b"MemoryError"))
            await until(lambda: bool(line.heard.ends))
            assert line.heard.ends == ["the container ended"]
            assert line.connection.stderr_tail() == "MemoryError"

    run(work)


def test_a_box_that_is_killed_before_its_guest_came_leaves_no_socket(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as line:
            await line.connection.kill()
            assert list((tmp_path / "sockets").iterdir()) == []
            assert line.releases == ["released"]
            await settled()
            assert line.heard.ends == ["the container ended"]

    run(work)


def test_a_guest_that_comes_while_its_box_is_killed_is_turned_away(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as line:
            guest = socket.socket(socket.AF_UNIX)
            guest.connect(str(next((tmp_path / "sockets").glob("*/line"))))
            await asyncio.sleep(0)
            line.connection._accept()  # accepted, and not yet connected
            await line.connection.kill()
            await settled()
            guest.setblocking(False)
            with contextlib.suppress(ConnectionResetError):
                assert guest.recv(1) == b""
            guest.close()
            assert len(line.heard.ends) == 1

    run(work)


def test_what_a_box_uses_is_asked_of_the_kernel_and_never_of_the_engine() -> None:
    async def work() -> None:
        async with opened() as line:
            assert line.connection.usage() is None, "there is no such container here"
            assert line.read_streams() == b""

    run(work)
