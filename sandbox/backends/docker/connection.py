"""The connection to one container: its attached streams, and its Unix socket where it has connected to one."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from sandbox.backends.docker.attached import STDOUT, Attached, StreamCutter
from sandbox.backends.docker.cgroups import processes_of, read_usage
from sandbox.backends.docker.unix_socket import BoxSocket
from sandbox.backends.processor_wait import seconds_waited
from sandbox.backends.stderr_tail import StderrTail
from sandbox.errors import HostFaultError
from sandbox.images.image_builder import BuiltImage
from sandbox.interface import BoxLayout, BoxUsage, Receiver

_STDERR_PATIENCE_SECONDS = 0.25  # chosen: what a box said last may come after the end of its connection

_ANSWER_SECONDS = 2.0  # chosen: the engine answers in some milliseconds once it knows the container's end


@dataclass(frozen=True)
class StartedBox:
    """A running container as the engine gave it to us."""

    image: BuiltImage
    container: str
    attached: Attached
    socket: BoxSocket | None
    release: Callable[[], Awaitable[None]]
    """Removes the container and returns its resources."""
    was_killed: Callable[[], Awaitable[bool]]
    """Asks the engine whether the container was killed from outside. The engine forgets it when it is removed."""


class DockerConnection(asyncio.Protocol):
    """Frames go over the container's streams until the guest connects to its socket, and then over the socket alone."""

    def __init__(self, started: StartedBox, layout: BoxLayout, receiver: Receiver) -> None:
        self.layout = layout
        self.container = started.container
        self._started = started
        self._receiver = receiver
        self._cutter = StreamCutter()
        self._stderr = StderrTail()
        self._streams: asyncio.Transport | None = None
        self._line: asyncio.Transport | None = None
        """Where frames are written: first the streams, later the socket."""
        self._is_closed = self._is_killed = False
        self._opening: asyncio.Task[object] | None = None
        self._own_end: asyncio.Task[bool] | None = None
        """Whether somebody killed the box, where its line closed before we ended it."""

    @classmethod
    async def open(cls, started: StartedBox, layout: BoxLayout, receiver: Receiver) -> "DockerConnection":
        """Take over a started box."""
        connection = cls(started, layout, receiver)
        loop = asyncio.get_running_loop()
        started.attached.raw.setblocking(False)
        await loop.create_connection(lambda: connection, sock=started.attached.raw)
        if started.socket is not None:
            loop.add_reader(started.socket.listener.fileno(), connection._accept)
        return connection

    # -- the socket --------------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        """The guest has connected. It sends READY only over the connection that it will keep using."""
        loop = asyncio.get_running_loop()
        box_socket = self._started.socket
        assert box_socket is not None
        with contextlib.suppress(BlockingIOError):
            number = box_socket.listener.fileno()
            line = box_socket.accept()
            loop.remove_reader(number)
            self._opening = loop.create_task(loop.create_connection(lambda: _SocketProtocol(self), sock=line))

    def connected(self, line: asyncio.Transport) -> None:
        """Send frames by ``line`` from now on."""
        if self._is_killed:
            line.abort()
        self._line = line

    def disconnected(self, error: Exception | None) -> None:
        """The guest's socket is closed, so it has ended. Its last messages may still be on their way."""
        reason = "the container ended" if error is None else f"the line to the container broke: {error}"
        if self._streams is None:
            self._close(reason)
        else:
            asyncio.get_running_loop().call_later(_STDERR_PATIENCE_SECONDS, self._close, reason)

    def _close_socket(self) -> None:
        box_socket = self._started.socket
        if box_socket is not None and box_socket.listener.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(box_socket.listener.fileno())
            box_socket.close()

    # -- the streams -------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        line = cast("asyncio.Transport", transport)  # of another class on other loops (uvloop)
        self._streams = self._line = line

    def data_received(self, data: bytes) -> None:
        for stream, piece in self._cutter.feed(data):
            if stream == STDOUT:
                self.received(piece)
            else:
                self._stderr.add(piece)

    def connection_lost(self, exc: Exception | None) -> None:
        lost, self._streams = self._streams, None
        if self._line is lost or self._line is None or self._line.is_closing():
            self._close("the container ended" if exc is None else f"the line to the container broke: {exc}")
        # Otherwise the engine has gone while the box still works: it is reached through its socket.

    # -- for the box -------------------------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Bytes from the guest, from either connection."""
        self._receiver.received(data)

    def _close(self, reason: str) -> None:
        if not self._is_closed:
            self._is_closed = True
            if not self._is_killed:
                self._own_end = asyncio.get_running_loop().create_task(_in_time(self._started.was_killed()))
            self._receiver.closed(reason)

    def send(self, data: bytes) -> None:
        if self._line is not None and not self._line.is_closing():
            self._line.write(data)

    def stderr_tail(self) -> str:
        return self._stderr.text

    def usage(self) -> BoxUsage | None:
        """The box's usage, from the files of its control group."""
        return read_usage(self.container)

    def seconds_waited(self) -> float:
        """By the threads of the container's processes."""
        return seconds_waited(processes_of(self.container))

    async def was_killed(self) -> bool:
        """By the engine's own record of the container's end."""
        return self._own_end is not None and await asyncio.shield(self._own_end)

    async def kill(self) -> None:
        if self._is_killed:
            return
        self._is_killed = True
        self._close_socket()
        for transport in (self._line, self._streams):
            if transport is not None:
                transport.abort()
        # First, because an engine that still writes to us would not finish removing the container.
        self._started.attached.close()
        if self._own_end is not None:
            await asyncio.shield(self._own_end)  # before it is removed, which would look like another's doing
        await self._started.release()


async def _in_time(answer: Awaitable[bool]) -> bool:
    """The engine's answer, or False where it does not come: a box that has ended is not kept for it."""
    try:
        return await asyncio.wait_for(answer, _ANSWER_SECONDS)
    except (TimeoutError, HostFaultError, RuntimeError):  # the last: the backend's threads have ended
        return False


class _SocketProtocol(asyncio.Protocol):
    """The socket by which a guest came in."""

    def __init__(self, connection: DockerConnection) -> None:
        self._connection = connection
        self.data_received = connection.received  # type: ignore[method-assign]  # one call less for every piece

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        line = cast("asyncio.Transport", transport)  # of another class on other loops (uvloop)
        self._connection.connected(line)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.disconnected(exc)
