"""Judges a stream of calls. Verdicts come in completion order, no faster than they are read.

Some calls are judged a second time, at the next stronger isolation level. A verdict that changes shows a verifier in
which one call affects another.

The way of a call on the host: this module (encode, queue, check the reply) -> ``dispatcher`` (call groups, retries) ->
``box`` (frames, clocks). Replies come back by one call of ``deliver`` for each call group. See
docs/explanation/architecture.md.
"""

import asyncio
import logging
import operator
import random
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from sandbox.errors import host_failure
from sandbox.guest import frames
from sandbox.host.call_groups import CallError, Outcome, QueuedCall, Told
from sandbox.host.dispatcher import Dispatcher
from sandbox.host.verdict_codec import Ranges, encode_call, encode_task, verdict_of
from sandbox.interface import AnyCall, EncodedCall
from sandbox.streams import Channel, StreamCutError, StreamLeftError
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

Calls = AsyncIterable[AnyCall] | Iterable[AnyCall]
"""What can be judged: calls as they come, or all at once."""
LEVELS = {
    Isolation.WORKER: frames.WORKER,
    Isolation.BATCH: frames.BATCH,
    Isolation.CALL: frames.CALL,
    Isolation.BOX: frames.CALL,
}
_SUBMIT_TOGETHER = 256  # chosen: as many as a stream hands over at a time
_UNREAD_VERDICTS = 8192  # chosen; their bytes are bounded below
_MAX_CALL_BYTES = frames.MAX_REQUEST_BYTES - 1024  # room for the frame around the call
_HELD_BYTES = 64 << 20
"""The most bytes of calls and verdicts in one stream at a time."""
_KEPT_MISMATCHES = 100  # chosen: the latest, for a reader
_NO_TASK = encode_task(None)
_log = logging.getLogger(__name__)


class Judged(NamedTuple):
    """A verdict and the time of the package's own code for it, measured in the box; 0 if it never answered."""

    id: str
    verdict: Verdict
    milliseconds: float
    byte_count: int = 0
    """Size in bytes of the reply."""


def judged_channel() -> Channel[Judged]:
    """A channel for verdicts that counts its bytes: a scoring stream is limited by them."""
    return Channel(_UNREAD_VERDICTS, weigh=attrgetter("byte_count"))


@dataclass(frozen=True)
class Mismatch:
    """A call whose verdict changed at a stronger isolation level."""

    first: Mapping[str, float | None]
    again: Mapping[str, float | None]
    level: int
    payload: bytes


@dataclass
class Replays:
    """Results of judging calls twice, for one release: the number of ``compared`` calls, and the latest
    ``mismatches``.
    """

    compared: int = 0
    mismatch_count: int = 0
    mismatches: deque[Mismatch] = field(default_factory=lambda: deque(maxlen=_KEPT_MISMATCHES))
    pending: int = 0

    def start(self, dispatcher: Dispatcher, call: QueuedCall, first: Verdict, declared: Ranges) -> None:
        """Queue the call again at the next stronger level, and compare the verdicts."""

        def compare(told: Sequence[Told]) -> None:
            [(_, outcome, _)] = told
            self.pending -= 1
            if isinstance(outcome, CallError) and outcome.kind == "host":
                return
            again = verdict_of(outcome, declared)
            self.compared += 1
            is_mismatch = again.rewards != first.rewards
            dispatcher.metrics.count("replays", dispatcher.label)
            dispatcher.metrics.count("replay_mismatches", dispatcher.label, by=int(is_mismatch))
            if is_mismatch:
                self.mismatch_count += 1
                self.mismatches.append(Mismatch(first.rewards, again.rewards, call.first_level, call.payload))

        self.pending += 1
        dispatcher.submit([QueuedCall(call.payload, call.first_level + 1, call.timeout_seconds, compare)])


class _ScoringCall(QueuedCall):
    __slots__ = ("call_id",)

    call_id: str


class ScoringStream:
    """One ``score()`` in progress. Back-pressure: calls are read no faster than verdicts are taken."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        declared: Ranges,
        *,
        isolation: Isolation,
        timeout_seconds: float,
        replays: Replays,
        replay_fraction: float,
    ) -> None:
        self._dispatcher = dispatcher
        self._declared = declared
        self._level = LEVELS[isolation]
        self._timeout_seconds = timeout_seconds
        self._replays = replays
        self._replay_fraction = replay_fraction if isolation in (Isolation.WORKER, Isolation.BATCH) else 0.0
        self._verdicts = judged_channel()
        self._pending: set[QueuedCall] = set()
        self._pending_bytes = 0
        self._is_fed = False
        self._error: Exception | None = None
        """The error of the caller's iterator. It is raised after all calls before it have been judged."""
        self._ended: asyncio.Future[None] | None = None
        self._task: dict[str, Any] | None = None
        self._encoded_task = _NO_TASK

    async def lists(self, calls: Calls) -> AsyncGenerator[list[Judged]]:
        """Yield a :class:`Judged` for every call, in completion order, in lists of all that are ready.

        Leaving early drops the rest. A list of calls for which there is room is queued at once, without a task: a task
        would take longer than a cheap call.
        """
        rest = self._begin(calls)
        feeding = None if rest is None else asyncio.create_task(self._feed_to_the_end(rest))
        try:
            while together := await self._verdicts.take():
                yield together
        finally:
            self._verdicts.leave()
            self._drop_pending()
            if feeding is not None and not feeding.done():
                feeding.cancel()
                await asyncio.gather(feeding, return_exceptions=True)

    async def run(self, calls: Calls, verdicts: Channel[Judged]) -> None:
        """Send the lists of :meth:`lists` into a channel and close it. Cancelling this drops the rest."""
        self._verdicts = verdicts
        self._ended = asyncio.get_running_loop().create_future()
        try:
            await self._feed_to_the_end(calls)
            await self._ended
        finally:
            self._drop_pending()

    def _drop_pending(self) -> None:
        pending, self._pending = self._pending, set()
        if pending:
            self._dispatcher.cancel(pending)

    # -- calls -------------------------------------------------------------------------------------------------------

    def _begin(self, calls: Calls) -> Calls | None:
        """Queue a list of calls at once, as far as there is room. Returns the calls that are left, or None."""
        if not isinstance(calls, (list, tuple)) or len(calls) > _SUBMIT_TOGETHER or not self._dispatcher.queue.has_room:
            return calls
        try:
            if rest := self._queue(calls):
                return rest
        except Exception as raised:  # noqa: BLE001 -- raised later, when the calls before it are judged
            self._calls_ended(raised)
        else:
            self._calls_ended(None)
        return None

    async def _feed_to_the_end(self, calls: Calls) -> None:
        error: Exception | None = StreamCutError("the stream's sender was cancelled")
        try:
            await self._feed(calls)
            error = None
        except StreamLeftError:  # nobody reads any more, so drop the rest
            self._drop_pending()
        except Exception as raised:  # noqa: BLE001 -- raised later, when the calls before it are judged
            error = raised
        finally:
            self._calls_ended(error)

    async def _feed(self, calls: Calls) -> None:
        if isinstance(calls, Channel):
            while arrived := await calls.take(_SUBMIT_TOGETHER):
                await self._submit(arrived)
        elif isinstance(calls, AsyncIterable):
            async for arriving in calls:
                await self._submit([arriving])
        else:
            remaining = iter(calls)
            while together := list(islice(remaining, _SUBMIT_TOGETHER)):
                await self._submit(together)

    async def _submit(self, calls: Sequence[AnyCall]) -> None:
        """Queue ``calls``, in parts if they are large. Waits while the stream holds too many bytes."""
        while calls:
            if not self._has_room():
                await self._verdicts.wait_until(self._has_room)
            await self._dispatcher.queue.wait_for_room()
            calls = self._queue(calls)

    def _has_room(self) -> bool:
        count = len(self._pending) + self._verdicts.unread
        return count <= _UNREAD_VERDICTS and self._pending_bytes + self._verdicts.weight <= _HELD_BYTES

    def _queue(self, calls: Sequence[AnyCall]) -> Sequence[AnyCall]:
        """Submit ``calls`` up to the limit of bytes; returns the rest."""
        queued: list[QueuedCall] = []
        try:
            for number, call in enumerate(calls, 1):
                one = self._queued(call)
                if one is not None:
                    queued.append(one)
                    self._pending_bytes += len(one.payload)
                    if self._pending_bytes + self._verdicts.weight > _HELD_BYTES:
                        return calls[number:]
        finally:
            self._pending.update(queued)
            self._dispatcher.submit(queued)
        return ()

    def _queued(self, call: AnyCall) -> _ScoringCall | None:
        """The call as a QueuedCall. None if it is too large for a frame; it then gets its verdict at once."""
        if isinstance(call, EncodedCall):
            payload = call.payload
        else:
            if not _is_same(call.task, self._task):  # encode a task once for all responses to it
                self._task, self._encoded_task = call.task, encode_task(call.task)
            payload = encode_call(call, self._encoded_task)
        if len(payload) > _MAX_CALL_BYTES:
            message = f"the call has {len(payload)} bytes; {_MAX_CALL_BYTES} are allowed"
            verdict = Verdict.unjudged(list(self._declared), ErrorKind.OUTPUT, message)
            self._verdicts.put(Judged(call.id, verdict, 0.0))
            return None
        queued = _ScoringCall(payload, self._level, self._timeout_seconds, self._deliver)
        queued.call_id = call.id
        return queued

    def _calls_ended(self, error: Exception | None) -> None:
        self._is_fed, self._error = True, error
        if not self._pending:
            self._end()

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def _deliver(self, told: Sequence[Told]) -> None:
        """Deliver all calls of a call group at once, because the reader is often in another thread."""
        judged = [self._judged(*one) for one in told]
        with suppress(StreamLeftError):
            self._verdicts.put_all(judged)
        if self._replay_fraction:
            for (call, _, _), one in zip(told, judged, strict=True):
                if one.verdict.error is None and random.random() < self._replay_fraction:  # noqa: S311 -- no secret
                    self._replays.start(self._dispatcher, call, one.verdict, self._declared)
        if self._is_fed and not self._pending:
            self._end()

    def _judged(self, call: QueuedCall, outcome: Outcome, microseconds: int) -> Judged:
        assert isinstance(call, _ScoringCall)
        self._pending.discard(call)
        self._pending_bytes -= len(call.payload)
        try:
            verdict = verdict_of(outcome, self._declared)
        except Exception as error:  # noqa: BLE001 -- a bug of ours: the caller still gets one verdict
            _log.exception("a reply could not be read")
            verdict = Verdict.unjudged(list(self._declared), ErrorKind.HOST, str(host_failure(error)))
        size = len(outcome) if isinstance(outcome, bytes) else 0
        return Judged(call.call_id, verdict, microseconds / 1000, size)

    def _end(self) -> None:
        self._verdicts.close(self._error)
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)


def _is_same(task: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    """Whether two tasks hold the same objects. Validation of a request copies the dict but not its values.

    Not ``==``, which takes True for 1.
    """
    if task is other or task is None or other is None:
        return task is other
    return list(task) == list(other) and all(map(operator.is_, task.values(), other.values()))
