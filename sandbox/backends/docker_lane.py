"""The line to one container: its attached streams, and a door where it has come through one."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from sandbox.backends.cgroups import read_usage
from sandbox.backends.door import Door
from sandbox.backends.engine import STDOUT, Attached, StreamCutter
from sandbox.backends.streams import WordsTail
from sandbox.images.building import BuiltImage
from sandbox.interface import BoxPlace, BoxUsage, Receiver

_WORDS_PATIENCE_SECONDS = 0.25


@dataclass(frozen=True)
class StartedBox:
    """A running container as the engine gave it to us."""

    image: BuiltImage
    container: str
    attached: Attached
    door: Door | None
    release: Callable[[], Awaitable[None]]
    """Removes the container and gives back what it had."""


class DockerLane(asyncio.Protocol):
    """Frames go by the streams until the guest comes through its door, and from then on by that alone."""

    def __init__(self, started: StartedBox, place: BoxPlace, receiver: Receiver) -> None:
        self.place = place
        self.container = started.container
        self._started = started
        self._receiver = receiver
        self._cutter = StreamCutter()
        self._words = WordsTail()
        self._streams: asyncio.Transport | None = None
        self._line: asyncio.Transport | None = None
        """Where frames go: the streams, later the socket."""
        self._is_closed = self._is_killed = False
        self._opening: asyncio.Task[object] | None = None

    @classmethod
    async def open(cls, started: StartedBox, place: BoxPlace, receiver: Receiver) -> "DockerLane":
        """Take over a started box."""
        lane = cls(started, place, receiver)
        loop = asyncio.get_running_loop()
        started.attached.raw.setblocking(False)
        await loop.create_connection(lambda: lane, sock=started.attached.raw)
        if started.door is not None:
            loop.add_reader(started.door.listener.fileno(), lane._come_in)
        return lane

    # -- the door ----------------------------------------------------------------------------------------------------

    def _come_in(self) -> None:
        """The guest has connected; it says READY only by the way that it will use from then on."""
        loop = asyncio.get_running_loop()
        door = self._started.door
        assert door is not None
        with contextlib.suppress(BlockingIOError):
            number = door.listener.fileno()
            line = door.take()
            loop.remove_reader(number)
            self._opening = loop.create_task(loop.create_connection(lambda: _Doorway(self), sock=line))

    def came_through(self, line: asyncio.Transport) -> None:
        """From now on frames go by ``line``."""
        if self._is_killed:
            line.abort()
        self._line = line

    def went_out(self, error: Exception | None) -> None:
        """The guest's socket is closed: it has ended. Its last words may still be under way."""
        reason = "the container ended" if error is None else f"the line to the container broke: {error}"
        if self._streams is None:
            self._close(reason)
        else:
            asyncio.get_running_loop().call_later(_WORDS_PATIENCE_SECONDS, self._close, reason)

    def _shut_the_door(self) -> None:
        door = self._started.door
        if door is not None and door.listener.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(door.listener.fileno())
            door.close()

    # -- the streams -------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        line = cast("asyncio.Transport", transport)  # of another class on other loops (uvloop)
        self._streams = self._line = line

    def data_received(self, data: bytes) -> None:
        for stream, piece in self._cutter.feed(data):
            if stream == STDOUT:
                self.received(piece)
            else:
                self._words.add(piece)

    def connection_lost(self, exc: Exception | None) -> None:
        lost, self._streams = self._streams, None
        if self._line is lost or self._line is None or self._line.is_closing():
            self._close("the container ended" if exc is None else f"the line to the container broke: {exc}")
        # else the engine has gone, and the box works on: it is reached by its socket

    # -- the lane ----------------------------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Bytes from the guest, by whichever way."""
        self._receiver.received(data)

    def _close(self, reason: str) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._receiver.closed(reason)

    def send(self, data: bytes) -> None:
        if self._line is not None and not self._line.is_closing():
            self._line.write(data)

    def last_words(self) -> str:
        return self._words.text

    def usage(self) -> BoxUsage | None:
        """From its cgroup's files."""
        return read_usage(self.container)

    async def kill(self) -> None:
        if self._is_killed:
            return
        self._is_killed = True
        self._shut_the_door()
        for transport in (self._line, self._streams):
            if transport is not None:
                transport.abort()
        self._started.attached.close()  # first: an engine that still writes to us would not finish removing it
        await self._started.release()


class _Doorway(asyncio.Protocol):
    """The socket by which a guest came in."""

    def __init__(self, lane: DockerLane) -> None:
        self._lane = lane
        self.data_received = lane.received  # type: ignore[method-assign]  # one call less for every piece

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        line = cast("asyncio.Transport", transport)  # of another class on other loops (uvloop)
        self._lane.came_through(line)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lane.went_out(exc)
