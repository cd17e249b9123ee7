"""One box as the host sees it: creating -> warming -> idle <-> busy -> draining -> dead."""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Self

from sandbox.errors import BoxLostError, TimeLimitError, VerifierFailedError
from sandbox.guest import frames
from sandbox.host.background import background
from sandbox.host.clock import Clock, Timer
from sandbox.host.group_run import GroupRun, NotStartedError, OnGroupEnd
from sandbox.host.guest_messages import load_failure, read_ready
from sandbox.host.solution_relay import Allowance, SolutionRelay, Solve
from sandbox.interface import Backend, BoxInfo, BoxSpec, BoxUsage, Connection, Measured

OnSessionFrame = Callable[[int, int, bytes], None]
"""``on_frame(kind, session, payload)`` takes the SAID, ENDED and ASK frames of an environment box."""
_log = logging.getLogger(__name__)


class ImportEndedError(VerifierFailedError):
    """A box died before it was ready: once may be anybody's doing, twice is the package's."""


class BoxState(StrEnum):
    """Where a box is in its life."""

    CREATING = "creating"
    WARMING = "warming"
    IDLE = "idle"
    BUSY = "busy"
    DRAINING = "draining"
    DEAD = "dead"


@dataclass(frozen=True)
class BoxLimits:
    """How long the host waits for a box. ``grace_seconds`` after a guest's own clock it ends the box."""

    grace_seconds: float = 1.0
    start_seconds: float = 60.0
    solution_seconds: float = 60.0
    """The most that one solution may take."""
    solution_patience_seconds: float = 600.0
    """How long a call waits for one solution, its layout in the queue included."""

    def allowance(self, timeout_seconds: float, call_count: int) -> Allowance:
        """Of solutions, for calls of this limit."""
        return Allowance.of(timeout_seconds, call_count, self.solution_seconds, self.solution_patience_seconds)


class Box:
    """Speaks the frame protocol over one connection. Made by :meth:`open`; a receiver of the connection's bytes.

    Groups run in the order in which they were sent. The host's own clock ends a box whose zygote does not end a call.
    Only this class changes :attr:`state`; whoever wants to know of it listens.
    """

    def __init__(self, spec: BoxSpec, limits: BoxLimits, clock: Clock, solve: Solve | None) -> None:
        self.spec = spec
        self.info = BoxInfo(image_digest="")
        self.served_count = 0
        self.asks_solutions = False
        self.opened_at = self.idle_since = clock.now()
        self.on_session_frame: OnSessionFrame | None = None
        self.fault: VerifierFailedError | None = None
        """Why it ended, where its package is to blame."""
        self._state = BoxState.CREATING
        self._listeners: dict[BoxState, list[Callable[[Self], None]]] = {}
        self._awaiting_idle: set[Callable[[], None]] = set()
        self._limits = limits
        self._clock = clock
        self._solve = solve
        self._connection: Connection | None = None
        self._frames = frames.FrameReader()
        self._running: dict[int, GroupRun] = {}
        self._order: deque[int] = deque()
        self._next_id = 1
        self._watchdog: Timer | None = None
        self._look_at = 0.0
        self._ready: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._reason = ""

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
    ) -> Self:
        """Create, import, warm up. Raises a guest fault when the package cannot be loaded, else host faults."""
        box = cls(spec, limits, clock, solve)
        try:
            box._connection = await backend.open(spec, box)
            box._become(BoxState.WARMING)
            box.send(frames.START, 0, json.dumps(config(box._connection)).encode())
            report = read_ready(await box._await_ready())
        except BaseException:
            await box.kill("it did not become ready")
            raise
        box._become(BoxState.IDLE)
        box.info = BoxInfo(
            image_digest=box._connection.layout.image_digest,
            python=report.python,
            import_seconds=report.import_seconds,
            warm_seconds=report.warm_seconds,
            warmed_calls=report.warmed_calls,
            start_seconds=box.idle_since - box.opened_at,
            landlock=report.landlock,
            facts=report.model_dump(),
        )
        return box

    async def _await_ready(self) -> bytes:
        seconds = self._limits.start_seconds
        timer = self._clock.call_later(seconds, partial(self._not_ready_in_time, seconds))
        try:
            report = await self._ready
            if self._state is BoxState.DEAD:  # it said so, and ended before we came to read it
                raise self.fault or BoxLostError(self._reason)
        except BoxLostError as lost:
            if self.spec.source is None or self._connection is None:
                raise
            raise ImportEndedError(f"the box ended while the package was imported: {lost}") from None
        finally:
            timer.cancel()
        return report

    def _not_ready_in_time(self, seconds: float) -> None:
        if self._ready.done():
            return
        if self.spec.source is None:
            self._ready.set_exception(BoxLostError(f"a solution box did not become ready within {seconds:g} s"))
        else:
            self._ready.set_exception(TimeLimitError(f"importing the package took longer than {seconds:g} s"))

    # -- for its owner -----------------------------------------------------------------------------------------------

    @property
    def state(self) -> BoxState:
        return self._state

    @property
    def serves(self) -> bool:
        """Whether it may be given work."""
        return self._state in (BoxState.IDLE, BoxState.BUSY)

    @property
    def load(self) -> int:
        """How many groups it has been sent and not ended."""
        return len(self._running)

    @property
    def age_seconds(self) -> float:
        return self._clock.now() - self.opened_at

    def usage(self) -> BoxUsage | None:
        """What the kernel has counted for it, where the backend can tell."""
        connection: object = self._connection
        return connection.usage() if isinstance(connection, Measured) and self._state is not BoxState.DEAD else None

    def listen(self, listener: Callable[[Self], None], *states: BoxState) -> None:
        """Call ``listener(box)`` whenever it has come into one of ``states``, or into any where none is named."""
        for state in states or BoxState:
            self._listeners.setdefault(state, []).append(listener)

    def when_idle(self, callback: Callable[[], None]) -> None:
        """Call ``callback()`` when it is idle next: once, however often it is handed in."""
        self._awaiting_idle.add(callback)

    def send(self, kind: int, ident: int, payload: bytes) -> None:
        """Send one frame; a dead box swallows it."""
        if self._connection is not None and self._state is not BoxState.DEAD:
            self._connection.send(frames.pack(kind, ident, payload))

    def start(self, groups: list[list[bytes]], level: int, timeout_seconds: float, on_end: OnGroupEnd) -> None:
        """Send groups. They run one after the other, in this order; ``on_end(number, result)`` tells of each end.

        Raises BoxLostError where the box is gone; then nothing was sent, and nothing is told.
        """
        if self._connection is None or self._state is BoxState.DEAD:
            raise BoxLostError(self._reason or "the box is gone")
        was_idle = not self._order
        sent = []
        for number, calls in enumerate(groups):
            ident, self._next_id = self._next_id, self._next_id + 1
            self._running[ident] = GroupRun(number, len(calls), timeout_seconds, on_end)
            self._order.append(ident)
            self.served_count += 1
            sent.append(frames.pack_run(ident, level, max(1, int(timeout_seconds * 1000)), calls))
        if self._state is BoxState.IDLE:
            self._become(BoxState.BUSY)
        self._connection.send(sent[0] if len(sent) == 1 else b"".join(sent))
        if was_idle:
            self._watch_head()

    def occupy(self) -> None:
        """Sessions live in it: nobody may take it for idle."""
        if self._state is BoxState.IDLE:
            self._become(BoxState.BUSY)

    def vacate(self) -> None:
        """No session lives in it any more."""
        if self._state is BoxState.BUSY:
            self._become(BoxState.IDLE)

    def retire(self) -> None:
        """Give it no more groups. What it has begun may end; then it is ended."""
        if self.serves:
            self._become(BoxState.DRAINING)
            if not self._order:
                self._end("replaced")

    async def kill(self, reason: str) -> None:
        """End the box now; whatever runs in it fails with BoxLostError. Idempotent."""
        self._die(reason)
        if self._connection is not None:
            await self._connection.kill()

    # -- from the box -------------------------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Bytes from the guest."""
        try:
            for kind, ident, payload in self._frames.feed(data):
                self._take(kind, ident, payload)
        except frames.ProtocolError as error:
            self._end_broken(f"the guest broke the protocol: {error}")
        except Exception as error:  # noqa: BLE001 -- ours: the box ends, so that whoever waits is told
            _log.exception("a frame of a box could not be read")
            self._end(f"the host failed while it read the box's answer: {error!r}")

    def closed(self, reason: str) -> None:
        """The connection is gone."""
        if self._state is BoxState.DEAD:
            return
        words = self._connection.stderr_tail() if self._connection is not None else ""
        self._end(f"{reason}{': ' if words else ''}{words[-500:]}")

    # -- frames ------------------------------------------------------------------------------------------------------

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.CHUNK:
            running = self._group(ident)
            running.progressed(self._clock.now())
            running.take_replies(payload)
        elif kind == frames.DONE:
            self._take_done(ident, payload)
        elif kind in (frames.SAID, frames.ENDED, frames.ASK) and self.on_session_frame is not None:
            self.on_session_frame(kind, ident, payload)
        elif kind == frames.ASK:
            self._take_ask(ident, payload)
        elif kind == frames.READY and not self._ready.done():
            self._ready.set_result(payload)
        elif kind == frames.FAILED and not self._ready.done():
            self._ready.set_exception(load_failure(payload))
        else:
            raise frames.ProtocolError(f"a frame of kind {kind}")

    def _group(self, ident: int) -> GroupRun:
        running = self._running.get(ident)
        if running is None:
            raise frames.ProtocolError(f"an answer to group {ident}, which was not asked")
        return running

    def _take_done(self, ident: int, payload: bytes) -> None:
        running = self._group(ident)
        outcome = frames.unpack_outcome(payload)
        del self._running[ident]
        was_head = self._order[0] == ident  # others come back unbegun while the head waits for a solution
        self._order.remove(ident)
        self._tell(running.end, running.result(outcome))
        if was_head:
            self._watch_head()

    def _take_ask(self, ident: int, payload: bytes) -> None:
        running = self._group(ident)
        if ident != self._order[0]:
            raise frames.ProtocolError("a request for a solution by a group whose turn it is not")
        self.asks_solutions = True
        if running.relay is None:
            allowance = self._limits.allowance(running.timeout_seconds, running.count)
            running.relay = SolutionRelay(self._solve, partial(self._answer_ask, ident), self._clock, allowance)
        try:
            running.relay.take_part(payload)
        except TimeLimitError as limit:
            self._end_head(str(limit))

    def _answer_ask(self, ident: int, reply: bytes) -> None:
        """The clock of the group that asked goes on."""
        if ident in self._running:
            self._running[ident].progressed(self._clock.now())
        self.send(frames.SOLVED, ident, reply)

    # -- clock and death ---------------------------------------------------------------------------------------------

    def _become(self, state: BoxState) -> None:
        self._state = state
        if state is BoxState.IDLE:
            self.idle_since = self._clock.now()
        for listener in self._listeners.get(state, ()):
            self._tell(listener, self)
        if self._awaiting_idle and state is BoxState.IDLE:
            callbacks, self._awaiting_idle = self._awaiting_idle, set()
            for callback in callbacks:
                self._tell(callback)

    @staticmethod
    def _tell(whom: Callable[..., None], *what: Any) -> None:
        """A listener that fails keeps neither the box nor the other listeners from going on."""
        try:
            whom(*what)
        except Exception:  # noqa: BLE001 -- ours, and whoever it was has to see to it
            _log.exception("a listener of a box failed")

    def _watch_head(self) -> None:
        """Start the clock of the group that is now at the head, or rest."""
        if self._order:
            head = self._running[self._order[0]]
            now = self._clock.now()
            head.begin(now)
            self._watch(now, head.timeout_seconds + self._limits.grace_seconds)
        elif self._state is BoxState.BUSY:
            self._become(BoxState.IDLE)
        elif self._state is BoxState.DRAINING:
            self._end("replaced")

    def _watch(self, now: float, seconds: float) -> None:
        """Look in so many seconds, or earlier: a timer that an earlier group left running is kept.

        A look that comes too early only looks again. A timer of its own for each group would cost more.
        """
        if self._watchdog is not None:
            if self._look_at <= now + seconds:
                return
            self._watchdog.cancel()
        self._look_at = now + seconds
        self._watchdog = self._clock.call_later(seconds, self._look)

    def _look(self) -> None:
        """The clock ran out. A box without progress is lost; a group that only seems to make progress has had its time.

        While a solution is under way the group's clocks stand still; the relay has a clock of its own.
        """
        self._watchdog = None
        if not self._order:
            return
        head = self._running[self._order[0]]
        grace_seconds = self._limits.grace_seconds
        allowed = head.timeout_seconds + grace_seconds
        now = self._clock.now()
        if head.is_waiting:
            self._watch(now, allowed)
            return
        left = allowed - head.seconds_without_progress(now)
        overdue = head.seconds_overdue(now, grace_seconds)
        if left <= 0:
            self._end(f"the box did not end a call {grace_seconds:g} s after its deadline")
        elif overdue >= 0:
            self._end_head("the call went on long after its box should have ended it")
        else:
            self._watch(now, min(left, -overdue) + 0.01)

    def _end_head(self, reason: str) -> None:
        """The group at the head ends as timed out, by its own fault, and the box with it."""
        head = self._running.pop(self._order.popleft())
        result = head.timed_out(self._clock.now(), reason)
        rest = self._forget_groups()
        self._end(reason)
        self._tell(head.end, result)
        self._abandon(rest, NotStartedError(reason))

    def _end_broken(self, reason: str) -> None:
        """The zygote said what ours does not say: its package took it over. So the package is told, not the host."""
        if self.spec.source is None or self._state is BoxState.DEAD:
            self._end(reason)
            return
        self.fault = VerifierFailedError(f"the package spoke in the guest's place: {reason}")
        rest = self._forget_groups()
        self._end(reason)
        for group in rest[:1]:
            self._tell(group.end, group.broken(self._clock.now(), reason))
        self._abandon(rest[1:], NotStartedError(reason))

    def _forget_groups(self) -> list[GroupRun]:
        rest = [self._running[ident] for ident in self._order]
        self._running.clear()
        self._order.clear()
        return rest

    def _abandon(self, groups: Iterable[GroupRun], error: BoxLostError) -> None:
        for group in groups:
            self._tell(group.end, error)

    def _end(self, reason: str) -> None:
        """End the box from within a callback."""
        self._die(reason)
        if self._connection is not None:
            background(self._connection.kill())

    def _die(self, reason: str) -> None:
        if self._state is BoxState.DEAD:
            return
        self._reason = reason
        if self._watchdog is not None:
            self._watchdog.cancel()
        if not self._ready.done():
            self._ready.set_exception(BoxLostError(reason))
            self._ready.exception()  # nobody may be waiting; that is fine
        groups = self._forget_groups()
        self._become(BoxState.DEAD)
        self._abandon(groups[:1], BoxLostError(reason))
        self._abandon(groups[1:], NotStartedError(reason))
