"""Calls in, verdicts out in completion order, no faster than they are taken.

The way of a verdict on the host: ``scoring`` (encode, queue, check the reply) -> ``dispatcher`` (groups, retries) ->
``box`` (frames, clocks) and back by one call of ``deliver`` each. docs/explanation/architecture.md draws it.
"""

import asyncio
import logging
import operator
import random
from collections.abc import AsyncIterable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from sandbox.errors import host_failure
from sandbox.guest import frames
from sandbox.host.dispatcher import Dispatcher
from sandbox.host.queued_call import Outcome, QueuedCall
from sandbox.host.replay import Replays
from sandbox.host.verdict_codec import Ranges, encode_call, encode_task, verdict_of
from sandbox.interface import AnyCall, EncodedCall
from sandbox.streams import Channel, StreamLeftError
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
_SUBMIT_TOGETHER = 256
_UNREAD_VERDICTS = 8192
_MAX_CALL_BYTES = frames.MAX_REQUEST_BYTES - 1024
_HELD_BYTES = 64 << 20
"""Of calls and verdicts of one stream that reads its calls as they come."""
_log = logging.getLogger(__name__)


class Judged(NamedTuple):
    """A verdict and how long the package's own code took for it, as measured in the box. 0 where it never answered."""

    id: str
    verdict: Verdict
    milliseconds: float
    byte_count: int = 0
    """Of the reply that it was read from."""


def judged_channel() -> Channel[Judged]:
    """For verdicts: it knows how many bytes lie in it, which bounds a scoring stream."""
    return Channel(_UNREAD_VERDICTS, weigh=attrgetter("byte_count"))


class _ScoringCall(QueuedCall):
    __slots__ = ("call_id",)

    call_id: str


class ScoringStream:
    """One ``score()`` in progress. Bounded: calls are read no faster than verdicts are taken."""

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
        self._ended = asyncio.Event()
        self._task: dict[str, Any] | None = None
        self._encoded_task = encode_task(None)

    async def run(self, calls: Calls, verdicts: Channel[Judged]) -> None:
        """Send a :class:`Judged` for every call to ``verdicts``, in completion order. Cancelling it drops the rest."""
        self._verdicts = verdicts
        error: Exception | None = None
        try:
            try:
                await self._feed(calls)
            except StreamLeftError:
                return  # nobody reads: what is left is dropped
            except Exception as raised:  # noqa: BLE001 -- raised below, when what came before it is judged
                error = raised
            self._is_fed = True
            if self._pending:
                await self._ended.wait()
            if error is not None:
                raise error
        finally:
            if self._pending:
                self._dispatcher.cancel(self._pending)

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
        """Queue ``calls``, a part at a time where they are large."""
        await self._wait_for_room()
        queued: list[_ScoringCall] = []
        for call in calls:
            one = self._queued(call)
            if one is None:
                continue
            queued.append(one)
            self._pending_bytes += len(one.payload)
            if self._pending_bytes + self._verdicts.weight > _HELD_BYTES:
                self._send(queued)
                queued = []
                await self._wait_for_room()
        self._send(queued)

    def _queued(self, call: AnyCall) -> _ScoringCall | None:
        """The call as the dispatcher takes it; None for one that no frame holds, which is judged so at once."""
        if isinstance(call, EncodedCall):
            payload = call.payload
        else:
            if not _is_same(call.task, self._task):  # a group of responses to one task encodes it once
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

    def _send(self, calls: list[_ScoringCall]) -> None:
        self._pending.update(calls)
        self._dispatcher.submit(calls)

    async def _wait_for_room(self) -> None:
        """Wait while too many calls and verdicts, or too many bytes of them, lie between caller and reader."""
        if not self._has_room():
            await self._verdicts.wait_until(self._has_room)
        await self._dispatcher.wait_for_room()

    def _has_room(self) -> bool:
        count = len(self._pending) + self._verdicts.unread
        return count <= _UNREAD_VERDICTS and self._pending_bytes + self._verdicts.weight <= _HELD_BYTES

    def _deliver(self, call: QueuedCall, outcome: Outcome, microseconds: int) -> None:
        assert isinstance(call, _ScoringCall)
        self._pending.discard(call)
        self._pending_bytes -= len(call.payload)
        try:
            verdict = verdict_of(outcome, self._declared)
        except Exception as error:  # noqa: BLE001 -- ours: the caller waits for exactly one verdict a call
            _log.exception("a reply could not be read")
            verdict = Verdict.unjudged(list(self._declared), ErrorKind.HOST, str(host_failure(error)))
        is_sampled = self._replay_fraction and random.random() < self._replay_fraction  # noqa: S311 -- no secret
        if is_sampled and verdict.error is None:
            self._replays.start(self._dispatcher, call, verdict, self._declared)
        size = len(outcome) if isinstance(outcome, bytes) else 0
        with suppress(StreamLeftError):
            self._verdicts.put(Judged(call.call_id, verdict, microseconds / 1000, size))
        if self._is_fed and not self._pending:
            self._ended.set()


def _is_same(task: dict[str, Any] | None, other: dict[str, Any] | None) -> bool:
    """Whether two tasks hold the very same objects: a request's validation copies the dict, not what is in it.

    Not ``==``, which takes True for 1.
    """
    if task is other or task is None or other is None:
        return task is other
    return list(task) == list(other) and all(map(operator.is_, task.values(), other.values()))
