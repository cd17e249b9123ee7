"""Keeps the latest frames to and from each box, for the search when a verdict is wrong."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from sandbox.backends.docker.backend import DockerBackend
from sandbox.backends.docker.connection import DockerConnection
from sandbox.images.settings import ImageSettings
from sandbox.interface import BoxLayout, BoxSpec, BoxUsage, Connection, Receiver
from sandbox.settings import SandboxSettings

_PIECES = 16
_PIECE_BYTES = 600
_KEPT_BOXES = 12
"""How many records are kept, including those of boxes that have ended."""


@dataclass
class BoxRecord:
    """The record of one box: the latest bytes sent and received, each with the seconds since the box was opened."""

    role: str
    package: str
    container: str = ""
    ended: str = ""
    opened_at: float = field(default_factory=time.monotonic)
    pieces: deque[tuple[float, str, bytes]] = field(default_factory=lambda: deque(maxlen=_PIECES))

    def add(self, way: str, data: bytes) -> None:
        self.pieces.append((round(time.monotonic() - self.opened_at, 3), way, data[:_PIECE_BYTES]))

    def as_json(self) -> dict[str, Any]:
        """The record as JSON values; bytes are written as Python literals."""
        return {
            "role": self.role,
            "package": self.package,
            "container": self.container,
            "seconds": round(time.monotonic() - self.opened_at, 3),
            "ended": self.ended,
            "pieces": [f"{seconds} {way} {data!r}" for seconds, way, data in self.pieces],
        }


class WatchedBackend(DockerBackend):
    """A Docker backend that keeps a record of each of its latest boxes."""

    def __init__(self, settings: SandboxSettings, images: ImageSettings | None = None) -> None:
        super().__init__(settings, images)
        self.records: deque[BoxRecord] = deque(maxlen=_KEPT_BOXES)
        """The latest boxes, the newest last."""

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        """Open a box as the backend does, and record its traffic."""
        record = BoxRecord(spec.role.value, spec.source.manifest.id if spec.source else "")
        self.records.append(record)
        connection = await super().open(spec, _WatchedReceiver(receiver, record))
        assert isinstance(connection, DockerConnection)
        record.container = connection.container
        return _WatchedConnection(connection, record)


class _WatchedReceiver:
    def __init__(self, receiver: Receiver, record: BoxRecord) -> None:
        self._receiver = receiver
        self._record = record

    def received(self, data: bytes) -> None:
        self._record.add("<-", data)
        self._receiver.received(data)

    def closed(self, reason: str) -> None:
        self._record.ended = reason
        self._receiver.closed(reason)


class _WatchedConnection:
    def __init__(self, connection: DockerConnection, record: BoxRecord) -> None:
        self._connection = connection
        self._record = record

    @property
    def layout(self) -> BoxLayout:
        return self._connection.layout

    def send(self, data: bytes) -> None:
        self._record.add("->", data)
        self._connection.send(data)

    async def kill(self) -> None:
        self._record.ended = self._record.ended or "it was ended by the host"
        await self._connection.kill()

    def stderr_tail(self) -> str:
        return self._connection.stderr_tail()

    def usage(self) -> BoxUsage | None:
        return self._connection.usage()

    def seconds_waited(self) -> float:
        return self._connection.seconds_waited()
