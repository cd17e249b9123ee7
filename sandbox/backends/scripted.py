"""A backend for tests: a plain function speaks the frame protocol, without a process or a clock."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sandbox.guest import frames
from sandbox.guest.call import Package
from sandbox.interface import BoxLayout, BoxSpec, Connection, Receiver, Source
from schemas.names import digest_of

_FOLDER = "/nowhere"


class ScriptedBackend:
    """Judges with ``verify``, bound by name as in a real box, in this very process.

    ``values`` answers the other operations: ``generate``, ``tools``, ``tool`` -> a function of the request, or a value.
    ``losses`` are the numbers (from 1) of the call groups at which a box is lost instead of answering.
    """

    name = "scripted"

    def __init__(
        self,
        verify: Callable[..., Any] | None = None,
        *,
        values: Mapping[str, Any] | None = None,
        losses: Iterable[int] = (),
        refuses: Exception | None = None,
    ) -> None:
        self._verify = verify or (lambda **_: {})
        self._values = dict(values or {})
        self._losses = set(losses)
        self._refuses = refuses
        self.opened: list[BoxSpec] = []
        self.group_count = 0

    async def open(self, spec: BoxSpec, receiver: Receiver) -> Connection:
        """A connection that answers as soon as it is asked, or the refusal given."""
        if self._refuses is not None:
            raise self._refuses
        self.opened.append(spec)
        return _ScriptedConnection(self, spec, receiver)

    async def image_digest(self, source: Source) -> str:
        """Always the same for the same release."""
        return digest_of(f"scripted {source.digest}".encode())

    async def reap(self) -> int:
        """Nothing is ever left behind."""
        return 0

    async def aclose(self) -> None:
        """Nothing to close."""

    def package(self, spec: BoxSpec) -> Package:
        """The function in the form in which a guest holds it."""
        rewards = {name: reward.range for name, reward in spec.source.manifest.rewards.items()} if spec.source else {}
        return Package.of_function(self._verify, rewards)

    def answer(self, package: Package, request: bytes) -> bytes:
        """One call's reply."""
        try:
            call = json.loads(request)
            operation = call.get("op", "verify")
        except (ValueError, AttributeError):  # no call: a guest says so
            return package.answer(request)
        if operation == "verify":
            return package.answer(request)
        value = self._values[operation]
        return json.dumps({"value": value(call) if callable(value) else value}).encode()

    def is_lost_now(self) -> bool:
        """Count a call group; True when the box is to be lost at it."""
        self.group_count += 1
        return self.group_count in self._losses


class _ScriptedConnection:
    """Takes frames apart and answers them on the next turn of the event loop."""

    def __init__(self, backend: ScriptedBackend, spec: BoxSpec, receiver: Receiver) -> None:
        self.layout = BoxLayout((), _FOLDER, digest_of(b"scripted"))
        self._backend = backend
        self._package = backend.package(spec)
        self._receiver = receiver
        self._frames = frames.FrameReader()
        self._is_closed = False

    def send(self, data: bytes) -> None:
        for kind, ident, payload in self._frames.feed(data):
            asyncio.get_running_loop().call_soon(self._take, kind, ident, payload)

    def stderr_tail(self) -> str:
        return ""

    async def kill(self) -> None:
        self._close("killed")

    def _close(self, reason: str) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._receiver.closed(reason)

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        if self._is_closed:
            return
        if kind == frames.START:
            facts = json.dumps({"python": "scripted"}).encode()
            self._receiver.received(frames.pack(frames.READY, 0, facts))
        elif kind == frames.RUN:
            if self._backend.is_lost_now():
                self._close("the box was lost, as scripted")
                return
            _, _, spans = frames.unpack_run(payload)
            replies = [self._backend.answer(self._package, payload[start:end]) for start, end in spans]
            stream = b"".join(frames.REPLY.pack(len(reply), i, 1) + reply for i, reply in enumerate(replies))
            done = frames.OUTCOME.pack(frames.FINISHED, 0, 1, 1, 1, 0, 0)
            self._receiver.received(frames.pack(frames.CHUNK, ident, stream) + frames.pack(frames.DONE, ident, done))
