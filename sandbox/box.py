"""One box as the host sees it: creating -> warming -> idle <-> busy -> draining -> dead."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, Self

from sandbox.errors import BoxLostError, GuestFaultError, HostFaultError, TimeLimitError, VerifierFailedError, error_of
from sandbox.guest import frames
from sandbox.interface import Backend, BoxInfo, BoxSpec, BoxUsage, Lane, Measured
from schemas.verdict import ErrorKind

Solve = Callable[[bytes], Awaitable[bytes]]
"""Runs one solution request (JSON) elsewhere and returns its reply (JSON). Raises host faults."""
OnEnding = Callable[[int, "Ending"], None]
_MAX_ASK_BYTES = 4 << 20


class ImportEndedError(VerifierFailedError):
    """A box died before it was ready: once may be anybody's doing, twice is the package's."""


class NotStartedError(BoxLostError):
    """The box was lost before it came to this group, which therefore cannot be what killed it."""


class BoxState(StrEnum):
    """Where a box is in its life."""

    CREATING = "creating"
    WARMING = "warming"
    IDLE = "idle"
    BUSY = "busy"
    DRAINING = "draining"
    DEAD = "dead"


@dataclass
class Ending:
    """How one group ended. ``replies`` holds JSON bytes and microseconds by index, None where none came."""

    status: int
    detail: int
    replies: list[tuple[bytes, int] | None]
    wall_us: int = 0
    cpu_us: int = 0
    max_rss_kb: int = 0
    strays: int = 0
    is_stale: bool = False
    problem: str = ""
    """What broke the protocol, if anything did."""


@dataclass
class _Running:
    """A group that this box has been sent."""

    done: asyncio.Future[Ending]
    reader: frames.ReplyReader
    replies: list[tuple[bytes, int] | None]
    timeout_seconds: float
    take: Callable[[Ending], None] | None = None
    asked: bytearray = field(default_factory=bytearray)
    solving: "asyncio.Task[None] | None" = None
    host_fault: str = ""
    problem: str = ""


class Box:
    """Speaks the frame protocol over one lane. Made by :meth:`open`; a receiver of the lane's bytes.

    Groups run in the order in which they were sent. The host's own clock ends a box whose zygote does not end a call.
    """

    def __init__(self, spec: BoxSpec, *, grace_seconds: float, solve: Solve | None) -> None:
        self.spec = spec
        self.state = BoxState.CREATING
        self.info = BoxInfo(image_digest="")
        self.served_count = 0
        self.asks_solutions = False
        self.opened_at = self.idle_since = time.monotonic()
        self.on_session: Callable[[int, int, bytes], None] | None = None
        """Takes the SAID, ENDED and ASK frames of an environment box."""
        self.on_dead: Callable[[], None] | None = None
        self._grace_seconds = grace_seconds
        self._solve = solve
        self._lane: Lane | None = None
        self._frames = frames.FrameReader()
        self._running: dict[int, _Running] = {}
        self._order: deque[int] = deque()
        self._next_id = 1
        self._head_since = 0.0
        self._watchdog: asyncio.TimerHandle | None = None
        self._ready: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._reason = ""

    @classmethod
    async def open(
        cls,
        backend: Backend,
        spec: BoxSpec,
        config: Callable[[Lane], dict[str, Any]],
        *,
        start_timeout_seconds: float,
        grace_seconds: float,
        solve: Solve | None = None,
    ) -> Self:
        """Create, import, warm up. Raises a guest fault when the package cannot be loaded, else host faults."""
        box = cls(spec, grace_seconds=grace_seconds, solve=solve)
        try:
            box._lane = await backend.open(spec, box)
            box.state = BoxState.WARMING
            box.send(frames.START, 0, json.dumps(config(box._lane)).encode())
            facts = json.loads(await box._await_ready(start_timeout_seconds))
        except BaseException:
            await box.kill("it did not become ready")
            raise
        box.state = BoxState.IDLE
        box.idle_since = time.monotonic()
        box.info = BoxInfo(
            image_digest=box._lane.place.image_digest,
            python=str(facts.get("python", "")),
            import_seconds=float(facts.get("import_seconds", 0.0)),
            warm_seconds=float(facts.get("warm_seconds", 0.0)),
            warmed_calls=int(facts.get("warmed_calls", 0)),
            start_seconds=box.idle_since - box.opened_at,
            landlock=int(facts.get("landlock", 0)),
            facts=facts,
        )
        return box

    async def _await_ready(self, timeout_seconds: float) -> bytes:
        try:
            async with asyncio.timeout(timeout_seconds):
                return await self._ready
        except TimeoutError:
            if self.spec.source is None:
                raise BoxLostError(f"a solution box did not become ready within {timeout_seconds:g} s") from None
            raise TimeLimitError(f"importing the package took longer than {timeout_seconds:g} s") from None
        except BoxLostError as lost:
            if self.spec.source is None or self._lane is None:
                raise
            raise ImportEndedError(f"the box ended while the package was imported: {lost}") from None

    @property
    def load(self) -> int:
        """How many groups it has been sent and not ended."""
        return len(self._running)

    @property
    def age_seconds(self) -> float:
        return time.monotonic() - self.opened_at

    def usage(self) -> BoxUsage | None:
        """What the kernel has counted for it, where the backend can tell."""
        lane: object = self._lane
        return lane.usage() if isinstance(lane, Measured) and self.state is not BoxState.DEAD else None

    def send(self, kind: int, ident: int, payload: bytes) -> None:
        """Send one frame; a dead box swallows it."""
        if self._lane is not None and self.state is not BoxState.DEAD:
            self._lane.send(frames.pack(kind, ident, payload))

    def start(
        self, groups: list[list[bytes]], level: int, timeout_seconds: float, on_ending: "OnEnding | None" = None
    ) -> "list[asyncio.Future[Ending]]":
        """Send groups; each future has its ending, or BoxLostError. They run one after the other, in this order.

        ``on_ending(number, ending)`` is called as soon as a group has ended, a turn of the event loop before whoever
        waits for its future; what it raises is the future's.
        """
        if self._lane is None or self.state is BoxState.DEAD:
            raise BoxLostError(self._reason or "the box is gone")
        loop = asyncio.get_running_loop()
        was_idle = not self._order
        futures, sent = [], []
        for number, calls in enumerate(groups):
            ident, self._next_id = self._next_id, self._next_id + 1
            future: asyncio.Future[Ending] = loop.create_future()
            count = len(calls)
            take = partial(on_ending, number) if on_ending is not None else None
            self._running[ident] = _Running(future, frames.ReplyReader(count), [None] * count, timeout_seconds, take)
            self._order.append(ident)
            self.served_count += 1
            futures.append(future)
            sent.append(frames.pack_run(ident, level, max(1, int(timeout_seconds * 1000)), calls))
        if self.state is BoxState.IDLE:
            self.state = BoxState.BUSY
        self._lane.send(sent[0] if len(sent) == 1 else b"".join(sent))
        if was_idle:
            self._watch_head()
        return futures

    async def kill(self, reason: str) -> None:
        """End the box now; whatever runs in it fails with BoxLostError. Idempotent."""
        self._die(reason)
        if self._lane is not None:
            await self._lane.kill()

    # -- the lane's receiver -----------------------------------------------------------------------------------------

    def received(self, data: bytes) -> None:
        """Bytes from the guest."""
        try:
            for kind, ident, payload in self._frames.feed(data):
                self._take(kind, ident, payload)
        except (frames.ProtocolError, ValueError, IndexError) as error:
            self._fail(f"the guest broke the protocol: {error}")

    def closed(self, reason: str) -> None:
        """The lane is gone."""
        words = self._lane.last_words() if self._lane is not None else ""
        self._die(f"{reason}{': ' if words else ''}{words[-500:]}")

    # -- frames ------------------------------------------------------------------------------------------------------

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        if kind == frames.CHUNK:
            self._take_replies(self._running[ident], payload) if ident in self._running else self._unknown(ident)
        elif kind == frames.DONE:
            self._take_done(ident, payload)
        elif kind in (frames.SAID, frames.ENDED, frames.ASK) and self.on_session is not None:
            self.on_session(kind, ident, payload)
        elif kind == frames.ASK:
            self._take_ask(ident, payload)
        elif kind == frames.READY and not self._ready.done():
            self._ready.set_result(payload)
        elif kind == frames.FAILED and not self._ready.done():
            self._ready.set_exception(_load_failure(payload))
        else:
            raise frames.ProtocolError(f"a frame of kind {kind}")

    @staticmethod
    def _unknown(ident: int) -> None:
        raise frames.ProtocolError(f"an answer to group {ident}, which was not asked")

    def _take_replies(self, running: _Running, payload: bytes) -> None:
        self._head_since = time.monotonic()
        if running.problem:
            return
        try:
            for index, microseconds, reply in running.reader.feed(payload):
                if running.replies[index] is not None:
                    raise frames.ProtocolError("a call answered twice")
                running.replies[index] = (reply, microseconds)
        except frames.ProtocolError as error:  # the child's doing, not the zygote's: only this group is spoilt
            running.problem = str(error)

    def _take_done(self, ident: int, payload: bytes) -> None:
        running = self._running.pop(ident, None)
        if running is None:
            self._unknown(ident)
            return
        self._order.remove(ident)
        status, detail, wall_us, cpu_us, rss, strays, stale = frames.OUTCOME.unpack(payload)
        problem = running.problem
        if not problem and status == frames.FINISHED and not running.reader.is_empty:
            problem = "half a reply"
        ending = Ending(status, detail, running.replies, wall_us, cpu_us, rss, strays, bool(stale), problem)
        if running.solving is not None:
            running.solving.cancel()
        if not running.done.done():
            if running.host_fault:
                running.done.set_exception(BoxLostError(running.host_fault))
            else:
                self._finish(running, ending)
        self._watch_head()

    @staticmethod
    def _finish(running: _Running, ending: Ending) -> None:
        try:
            if running.take is not None:
                running.take(ending)
        except Exception as error:  # noqa: BLE001 -- ours, not the guest's: it is told to whoever waits
            running.done.set_exception(error)
        else:
            running.done.set_result(ending)

    def _take_ask(self, ident: int, payload: bytes) -> None:
        running = self._running.get(ident)
        if running is None:
            self._unknown(ident)
            return
        self.asks_solutions = True
        running.asked += payload[1:]
        if len(running.asked) > _MAX_ASK_BYTES:
            self._fail(f"a request for a solution of more than {_MAX_ASK_BYTES} bytes")
        elif payload[0] == 1:
            request = bytes(running.asked)
            running.asked.clear()
            running.solving = asyncio.get_running_loop().create_task(self._relay(ident, running, request))

    async def _relay(self, ident: int, running: _Running, request: bytes) -> None:
        """Have the request run in a solution box and hand the answer back. The clock stands still meanwhile."""
        try:
            if self._solve is None:
                reply = b'{"error":"this box may not ask for solutions"}'
            else:
                reply = await self._solve(request)
        except HostFaultError as fault:
            running.host_fault = str(fault)
            reply = json.dumps({"host_fault": str(fault)}).encode()
        running.solving = None
        self._head_since = time.monotonic()
        self.send(frames.SOLVED, ident, reply)

    # -- clock and death ---------------------------------------------------------------------------------------------

    def _watch_head(self) -> None:
        """Start the clock of the group that is now at the head, or rest."""
        self._head_since = time.monotonic()
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None
        if self._order:
            self._arm(self._running[self._order[0]].timeout_seconds + self._grace_seconds)
        elif self.state is BoxState.BUSY:
            self.state = BoxState.IDLE
            self.idle_since = time.monotonic()

    def _arm(self, seconds: float) -> None:
        self._watchdog = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        """The clock ran out. See whether there was progress, a solution is under way, or the zygote is stuck."""
        self._watchdog = None
        if not self._order:
            return
        head = self._running[self._order[0]]
        allowed = head.timeout_seconds + self._grace_seconds
        passed = 0.0 if head.solving is not None else time.monotonic() - self._head_since
        if passed < allowed:
            self._arm(allowed - passed + 0.01)
        else:
            self._fail(f"the box did not end a call {self._grace_seconds:g} s after its deadline")

    def _fail(self, reason: str) -> None:
        """End the box from within a callback."""
        self._die(reason)
        if self._lane is not None:
            background(self._lane.kill())

    def _die(self, reason: str) -> None:
        if self.state is BoxState.DEAD:
            return
        self.state = BoxState.DEAD
        self._reason = reason
        if self._watchdog is not None:
            self._watchdog.cancel()
        if not self._ready.done():
            self._ready.set_exception(BoxLostError(reason))
            self._ready.exception()  # nobody may be waiting; that is fine
        running, self._running = self._running, {}
        head = running.get(self._order[0]) if self._order else None
        self._order.clear()
        for group in running.values():
            if group.solving is not None:
                group.solving.cancel()
            if not group.done.done():
                group.done.set_exception(BoxLostError(reason) if group is head else NotStartedError(reason))
                group.done.exception()  # whoever sent several groups looks at the first only
        if self.on_dead is not None:
            self.on_dead()


_tasks: set[asyncio.Task[None]] = set()


def background(work: Awaitable[None]) -> None:
    """Run ``work`` as a task that is not forgotten before it ends."""
    task = asyncio.ensure_future(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def _load_failure(payload: bytes) -> HostFaultError | GuestFaultError:
    try:
        problem = json.loads(payload)
        kind = ErrorKind(problem["kind"])
        message = str(problem["message"])
    except (ValueError, KeyError, TypeError):
        return VerifierFailedError("the package could not be loaded")
    if kind is ErrorKind.HOST:
        kind = ErrorKind.VERIFIER_FAILED
    return error_of(kind, f"the package could not be loaded: {message}")
