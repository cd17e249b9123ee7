"""A backend whose boxes say whatever a test has them say, byte by byte: a package that has subverted its zygote."""

import asyncio
import json
from collections.abc import Callable

from sandbox.guest import frames
from sandbox.interface import BoxLayout, BoxSpec, Connection, Receiver, Source

Say = Callable[[int, int, bytes], None]
"""``say(kind, id, payload)`` sends one frame to the host."""
Script = Callable[[Say, int, int, bytes], None]
"""``script(say, kind, id, payload)`` is called with every frame that the host sends."""
READY = json.dumps({"python": "told"}).encode()


class ToldBackend:
    """Its boxes do what ``script`` says; without an answer to START they are ready at once."""

    name = "told"

    def __init__(self, script: Script, *, start: bool = True) -> None:
        self.script = script
        self.connections: list[ToldConnection] = []
        self.starts = start

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        connection = ToldConnection(self, spec, receiver)
        self.connections.append(connection)
        return connection

    async def image_digest(self, source: Source) -> str:
        return f"told {source.digest}"

    async def reap(self) -> int:
        return 0

    async def aclose(self) -> None:
        pass


class ToldConnection:
    """Frames go to the script on the next turn of the event loop."""

    def __init__(self, backend: ToldBackend, spec: BoxSpec, receiver: Receiver) -> None:
        self.layout = BoxLayout((), "/nowhere", "told")
        self.spec = spec
        self.is_killed = False
        self.frames: list[tuple[int, int, bytes]] = []
        self._backend = backend
        self._receiver = receiver
        self._reader = frames.FrameReader()

    def send(self, data: bytes) -> None:
        for kind, ident, payload in self._reader.feed(data):
            self.frames.append((kind, ident, payload))
            asyncio.get_running_loop().call_soon(self._take, kind, ident, payload)

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        if self.is_killed:
            return
        if kind == frames.START and self._backend.starts:
            self.say(frames.READY, 0, READY)
        else:
            self._backend.script(self.say, kind, ident, payload)

    def say(self, kind: int, ident: int, payload: bytes = b"") -> None:
        """Send one frame to the host."""
        if not self.is_killed:
            self._receiver.received(frames.pack(kind, ident, payload))

    def stderr_tail(self) -> str:
        return ""

    async def kill(self) -> None:
        if not self.is_killed:
            self.is_killed = True
            self._receiver.closed("killed")


def outcome(status: int, *, stale: bool = False) -> bytes:
    """The payload of a DONE frame."""
    return frames.OUTCOME.pack(status, 0, 1, 1, 1, 0, stale)


def reply(value: object, index: int = 0) -> bytes:
    """The payload of a CHUNK frame that answers one call."""
    text = json.dumps(value).encode()
    return frames.REPLY.pack(len(text), index, 1) + text


def answer_all(say: Say, ident: int, run: bytes) -> None:
    """Judge every call of a RUN frame as right."""
    _, _, spans = frames.unpack_run(run)
    say(frames.CHUNK, ident, b"".join(reply({"rewards": {"correct": 1.0}}, i) for i in range(len(spans))))
    say(frames.DONE, ident, outcome(frames.FINISHED))
