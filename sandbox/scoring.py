"""Calls in, verdicts out in completion order, no faster than they are taken."""

import asyncio
import random
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Sequence
from typing import NamedTuple

from sandbox.guest import frames
from sandbox.interface import Call, EncodedCall
from sandbox.items import Item
from sandbox.lot import Lot
from sandbox.replaying import Replays
from sandbox.troubles import Trouble
from sandbox.verdicts import Ranges, encode_call, encode_task, verdict_of
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

Calls = AsyncIterable[Call] | Iterable[Call | EncodedCall]
"""What can be judged: calls as they come, or all at once."""
LEVELS = {
    Isolation.WORKER: frames.WORKER,
    Isolation.BATCH: frames.BATCH,
    Isolation.CALL: frames.CALL,
    Isolation.BOX: frames.CALL,
}
_SUBMIT_TOGETHER = 256
_UNREAD_VERDICTS = 8192


class Judged(NamedTuple):
    """A verdict and how long the package's own code took for it, as measured in the box. 0 where it never answered."""

    id: str
    verdict: Verdict
    milliseconds: float


class _CallItem(Item):
    __slots__ = ("call_id",)

    call_id: str


class ScoringStream:
    """One ``score()`` in progress. Bounded: calls are read no faster than verdicts are taken."""

    def __init__(
        self,
        lot: Lot,
        declared: Ranges,
        *,
        isolation: Isolation,
        timeout_seconds: float,
        replays: Replays,
        replay_fraction: float,
    ) -> None:
        self._lot = lot
        self._declared = declared
        self._level = LEVELS[isolation]
        self._timeout_seconds = timeout_seconds
        self._replays = replays
        self._replay_fraction = replay_fraction if isolation in (Isolation.WORKER, Isolation.BATCH) else 0.0
        self._pending: set[Item] = set()
        self._judged: deque[Judged] = deque()
        self._changed = asyncio.Event()
        self._taken = asyncio.Event()

    async def run(self, calls: Calls) -> AsyncGenerator[Judged]:
        """Yield a :class:`Judged` for every call, in completion order. Closing the iterator cancels what is left."""
        feeder: asyncio.Task[None] | None = None
        try:
            if isinstance(calls, (list, tuple)) and len(calls) <= _SUBMIT_TOGETHER:
                await self._submit(calls)
            else:
                feeder = asyncio.get_running_loop().create_task(self._feed(calls))
                feeder.add_done_callback(lambda _: self._changed.set())
            while True:
                while self._judged:
                    yield self._judged.popleft()
                self._taken.set()
                is_fed = feeder is None or feeder.done()
                if is_fed and not self._pending and not self._judged:
                    if feeder is not None:
                        feeder.result()
                    return
                self._changed.clear()
                if not self._judged and (self._pending or not is_fed):
                    await self._changed.wait()
        finally:
            if feeder is not None:
                feeder.cancel()
                await asyncio.gather(feeder, return_exceptions=True)
            if self._pending:
                self._lot.cancel(self._pending)

    async def _feed(self, calls: Calls) -> None:
        if isinstance(calls, AsyncIterable):
            async for arriving in calls:
                await self._submit([arriving])
            return
        together: list[Call | EncodedCall] = []
        for call in calls:
            together.append(call)
            if len(together) == _SUBMIT_TOGETHER:
                await self._submit(together)
                together = []
        await self._submit(together)

    async def _submit(self, calls: Sequence[Call | EncodedCall]) -> None:
        while len(self._pending) + len(self._judged) > _UNREAD_VERDICTS:
            self._taken.clear()
            await self._taken.wait()
        await self._lot.room()
        items = []
        task, encoded_task = None, None  # a group of responses to one task encodes it once
        for call in calls:
            if isinstance(call, Call) and call.task is not task:
                task, encoded_task = call.task, encode_task(call.task)
            item = _CallItem(encode_call(call, encoded_task), self._level, self._timeout_seconds, self._deliver)
            item.call_id = call.id
            if len(item.payload) > frames.MAX_REQUEST_BYTES - 1024:
                message = f"the call has {len(item.payload)} bytes; {frames.MAX_REQUEST_BYTES - 1024} are allowed"
                self._put(call.id, Verdict.unjudged(list(self._declared), ErrorKind.OUTPUT, message), 0)
                continue
            items.append(item)
        self._pending.update(items)
        self._lot.submit(items)

    def _deliver(self, item: Item, outcome: bytes | Trouble, microseconds: int) -> None:
        assert isinstance(item, _CallItem)
        self._pending.discard(item)
        verdict = verdict_of(outcome, self._declared)
        is_sampled = self._replay_fraction and random.random() < self._replay_fraction  # noqa: S311 -- no secret
        if is_sampled and verdict.error is None:
            self._replays.start(self._lot, item, verdict, self._declared)
        self._put(item.call_id, verdict, microseconds)

    def _put(self, call_id: str, verdict: Verdict, microseconds: int) -> None:
        self._judged.append(Judged(call_id, verdict, microseconds / 1000))
        if not self._changed.is_set():
            self._changed.set()
