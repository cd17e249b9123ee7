"""One box as the host sees it: creating -> warming -> idle <-> busy -> draining -> dead."""

import asyncio
import json
import logging
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any, Self

from sandbox.errors import BoxLostError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.background import background
from sandbox.host.box_limits import BoxLimits
from sandbox.host.call_group_run import CallGroupRun, OfHead, OnGroupEnd, RunningCallGroups
from sandbox.host.clock import Clock
from sandbox.host.handshake import Handshake, ImportEndedError, ImportKilledError
from sandbox.host.solution_relay import Complete, Solve
from sandbox.interface import Backend, BoxInfo, BoxSpec, Connection, Explained, Measured, Scheduled

OnSessionFrame = Callable[[int, int, bytes], None]
"""``on_frame(kind, session, payload)`` takes the SAID, ENDED and ASK frames of an environment box."""
_SESSION_FRAMES = (frames.SAID, frames.ENDED, frames.ASK)
_LEFTOVERS_ALLOWED = 3  # chosen: each had to be killed, and a box whose calls leave more is replaced
_log = logging.getLogger(__name__)


class BoxState(StrEnum):
    """Where a box is in its life."""

    CREATING = "creating"
    WARMING = "warming"
    IDLE = "idle"
    BUSY = "busy"
    DRAINING = "draining"
    DEAD = "dead"


class Wear(StrEnum):
    """Why a box is replaced although it still works."""

    WORN = "worn"
    """It has run its number of call groups, or has reached its lifetime."""
    DIRTY = "dirty"
    """It could not be cleaned after a call group."""


class Box:
    """Speaks the frame protocol over one connection. Made by :meth:`open`; a receiver of the connection's bytes.

    Call groups run in the order in which they were sent. The host's own clock ends a box whose zygote does not end a
    call. Only this class changes :attr:`state`; others are told of it by :meth:`listen`.
    """

    def __init__(
        self, spec: BoxSpec, limits: BoxLimits, clock: Clock, solve: Solve | None, complete: Complete | None = None
    ) -> None:
        self.spec = spec
        self.info = BoxInfo(image_digest="")
        self.groups = RunningCallGroups(clock, limits, solve, complete, self.send, self._end)
        self.opened_at = self.idle_since = clock.now()
        self.on_session_frame: OnSessionFrame | None = None
        self.fault: VerifierFailedError | None = None
        """Why it ended, where its package is to blame."""
        self.wear: Wear | None = None
        self.connection: Connection | None = None
        self._state = BoxState.CREATING
        self._listeners: dict[BoxState, dict[Callable[[Box], None], None]] = {state: {} for state in BoxState}
        self._limits = limits
        self._clock = clock
        self._frames = frames.FrameReader()
        self._handshake = Handshake(clock, has_package=spec.source is not None)
        self._reason = ""
        self._leaving: asyncio.Future[None] | None = None

    @classmethod
    async def open(
        cls,
        backend: Backend,
        spec: BoxSpec,
        config: Callable[[Connection], dict[str, Any]],
        limits: BoxLimits,
        clock: Clock,
        *,
        solve: Solve | None = None,
        complete: Complete | None = None,
    ) -> Self:
        """Create, import, warm up. Raises a guest fault when the package cannot be loaded, else host faults."""
        box = cls(spec, limits, clock, solve, complete)
        try:
            box.connection = await backend.open(spec, box)
            box._become(BoxState.WARMING)
            box.send(frames.START, 0, json.dumps(config(box.connection)).encode())
            await box._become_ready(box.connection)
        except BaseException:  # cancelled too: nobody else knows this box yet
            await box.kill("it did not become ready")
            raise
        return box

    async def _become_ready(self, connection: Connection) -> None:
        try:
            waited = partial(_seconds_waited, connection, self.spec.resources.cpu_count)
            report = await self._handshake.report(self._limits.start_seconds, waited)
            if self._state is BoxState.DEAD:  # it sent READY, and ended before that was read
                raise self.fault or BoxLostError(self._reason)
        except BoxLostError as lost:
            if self.spec.source is None:
                raise
            if isinstance(connection, Explained) and await connection.was_killed():
                raise ImportKilledError("the box was killed from outside while the package was imported") from None
            raise ImportEndedError(f"the box ended while the package was imported: {lost}") from None
        self._become(BoxState.IDLE)
        self.info = BoxInfo(
            image_digest=connection.layout.image_digest,
            python=report.python,
            import_seconds=report.import_seconds,
            warm_seconds=report.warm_seconds,
            warmed_calls=report.warmed_calls,
            start_seconds=self.idle_since - self.opened_at,
            landlock=report.landlock,
            facts=report.model_dump(),
        )

    # -- for its owner -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> BoxState:
        return self._state

    @property
    def serves(self) -> bool:
        """Whether the box may be given work."""
        return self._state in (BoxState.IDLE, BoxState.BUSY)

    @property
    def age_seconds(self) -> float:
        return self._clock.now() - self.opened_at

    def listen(self, listener: Callable[["Box"], None], *states: BoxState) -> None:
        """Call ``listener(box)`` whenever the box enters one of ``states``, or any state if none is named.

        A listener that is added twice is called once.
        """
        for state in states or BoxState:
            self._listeners[state][listener] = None

    def send(self, kind: int, ident: int, payload: bytes) -> None:
        """Send one frame. It is dropped if the box is dead."""
        if self.connection is not None and self._state is not BoxState.DEAD:
            self.connection.send(frames.pack(kind, ident, payload))

    # -- transitions -------------------------------------------------------------------------------------------------

    def start(self, groups: list[list[bytes]], level: int, timeout_seconds: float, on_end: OnGroupEnd) -> None:
        """Send call groups. They run one after the other, in this order; ``on_end(number, result)`` is called at the
        end of each.

        Raises BoxLostError if the box is gone; then nothing was sent, and ``on_end`` is not called.
        """
        if self.connection is None or self._state is BoxState.DEAD:
            raise BoxLostError(self._reason or "the box is gone")
        data = self.groups.add(groups, level, timeout_seconds, on_end)
        self.occupy()
        self.connection.send(data)

    def occupy(self) -> None:
        """Mark the box as busy: it runs something, or sessions live in it."""
        if self._state is BoxState.IDLE:
            self._become(BoxState.BUSY)

    def vacate(self) -> None:
        """Mark the box as idle: nothing runs in it, and no session lives in it any more."""
        if self._state is BoxState.BUSY:
            self._become(BoxState.IDLE)
        elif self._state is BoxState.DRAINING:
            self._end("replaced")

    def retire(self) -> None:
        """Give the box no more call groups. It ends what it has begun, and is then ended itself."""
        if self.serves:
            self._become(BoxState.DRAINING)
            if not self.groups:
                self._end("replaced")

    async def kill(self, reason: str) -> None:
        """End the box now, and wait until it is gone; whatever runs in it fails with BoxLostError. Idempotent.

        The box is ended even if the caller is cancelled. A second call waits for the same end.
        """
        self._die(reason)
        if (leaving := self._leave()) is not None:
            await asyncio.shield(leaving)

    def _become(self, state: BoxState) -> None:
        self._state = state
        if state is BoxState.IDLE:
            self.idle_since = self._clock.now()
        for listener in list(self._listeners[state]):
            try:
                listener(self)
            except Exception:  # noqa: BLE001 -- a bug of ours must stop neither the box nor the other listeners
                _log.exception("a listener of a box failed")

    def _end(self, reason: str, of_head: OfHead | None = None) -> None:
        """End the box from within a callback. ``of_head`` is given if the call group at its head is to blame."""
        self._die(reason, of_head)
        self._leave()

    def _leave(self) -> asyncio.Future[None] | None:
        """Begin to close the connection, once. None if there is no connection yet."""
        if self._leaving is None and self.connection is not None:
            self._leaving = asyncio.ensure_future(self.connection.kill())
            background(self._leaving)
        return self._leaving

    def _die(self, reason: str, of_head: OfHead | None = None) -> None:
        if self._state is BoxState.DEAD:
            return
        self._reason = reason
        self._handshake.fail(BoxLostError(reason))
        self._become(BoxState.DEAD)
        self.groups.fail(reason, of_head)

    # -- from the box ------------------------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Bytes from the guest."""
        try:
            for kind, ident, payload in self._frames.feed(data):
                self._take(kind, ident, payload)
        except frames.ProtocolError as error:
            reason = f"the guest broke the protocol: {error}"
            if self.spec.source is None or self._state is BoxState.DEAD:
                self._end(reason)
            else:  # our zygote never sends this, so the package has taken it over and is to blame
                self.fault = VerifierFailedError(f"the package spoke in the guest's place: {reason}")
                self._end(reason, partial(CallGroupRun.broken, problem=reason))
        except Exception as error:  # noqa: BLE001 -- a bug of ours: the box is ended, so that callers get an error
            _log.exception("a frame of a box could not be read")
            self._end(f"the host failed while it read the box's answer: {error!r}")

    def closed(self, reason: str) -> None:
        """The connection is gone."""
        if self._state is not BoxState.DEAD:
            words = self.connection.stderr_tail() if self.connection is not None else ""
            self._end(f"{reason}{': ' if words else ''}{words[-500:]}")

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.CHUNK:
            self.groups.take_chunk(ident, payload)
        elif kind == frames.DONE:
            self._take_done(ident, payload)
        elif kind in _SESSION_FRAMES and self.on_session_frame is not None:
            self.on_session_frame(kind, ident, payload)
        elif kind == frames.ASK:
            self.groups.take_ask(ident, payload)
        else:
            self._handshake.take(kind, payload)

    def _take_done(self, ident: int, payload: bytes) -> None:
        *_, leftover_processes, is_dirty = self.groups.take_done(ident, payload)
        limits = self._limits
        is_worn = (
            bool(is_dirty)
            or leftover_processes > _LEFTOVERS_ALLOWED
            or self.groups.count >= limits.most_call_groups
            or self.age_seconds > limits.lifetime_seconds
        )
        if is_worn and self.serves:
            self.wear = Wear.DIRTY if is_dirty else Wear.WORN
            self.retire()
        elif not self.groups:
            self.vacate()


def _seconds_waited(connection: Connection, processors: float, passed: float) -> float:
    """For how many of the ``passed`` seconds the machine kept the box from a processor; 0 if the backend cannot tell.

    Processes of one box also wait for each other. Time in which the box used its processors is therefore not counted,
    so that a box gets no extra time for having many processes.
    """
    waited = connection.seconds_waited() if isinstance(connection, Scheduled) else 0.0
    usage = connection.usage() if waited and isinstance(connection, Measured) else None
    return min(waited, max(0.0, passed - usage.cpu_seconds / processors)) if usage else waited
