"""Calls in, verdicts out in completion order: the one boundary that names whose fault it was."""

import asyncio
import json
import random
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from sandbox.guest import frames
from sandbox.guest.vector import BrokenVectorError, check_vector
from sandbox.interface import Call
from sandbox.lot import Item, Lot, Trouble
from sandbox.replaying import Replays
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict, VerdictError

LEVELS = {
    Isolation.WORKER: frames.WORKER,
    Isolation.BATCH: frames.BATCH,
    Isolation.CALL: frames.CALL,
    Isolation.BOX: frames.CALL,
}
_SUBMIT_TOGETHER = 256
_UNREAD_VERDICTS = 8192


@dataclass(frozen=True)
class Judged:
    """A verdict and how long the package's own code took for it, as measured in the box. 0 where it never answered."""

    id: str
    verdict: Verdict
    milliseconds: float


class _CallItem(Item):
    __slots__ = ("call_id",)

    call_id: str


Ranges = Mapping[str, tuple[float, float]]


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
        self._random = random.Random()  # noqa: S311 -- a sample, not a secret

    async def run(self, calls: AsyncIterable[Call] | Iterable[Call]) -> AsyncGenerator[Judged]:
        """Yield a :class:`Judged` for every call, in completion order. Closing the iterator cancels what is left."""
        feeder = asyncio.get_running_loop().create_task(self._feed(calls))
        feeder.add_done_callback(lambda _: self._changed.set())
        try:
            while True:
                while self._judged:
                    yield self._judged.popleft()
                self._taken.set()
                if feeder.done() and not self._pending and not self._judged:
                    feeder.result()
                    return
                self._changed.clear()
                if not self._judged and not (feeder.done() and not self._pending):
                    await self._changed.wait()
        finally:
            feeder.cancel()
            await asyncio.gather(feeder, return_exceptions=True)
            if self._pending:
                self._lot.cancel(self._pending)

    async def _feed(self, calls: AsyncIterable[Call] | Iterable[Call]) -> None:
        if isinstance(calls, AsyncIterable):
            async for call in calls:
                await self._submit([call])
            return
        together: list[Call] = []
        for call in calls:
            together.append(call)
            if len(together) == _SUBMIT_TOGETHER:
                await self._submit(together)
                together = []
        await self._submit(together)

    async def _submit(self, calls: list[Call]) -> None:
        while len(self._pending) + len(self._judged) > _UNREAD_VERDICTS:
            self._taken.clear()
            await self._taken.wait()
        await self._lot.room()
        items = []
        for call in calls:
            item = _CallItem(encode_call(call), self._level, self._timeout_seconds, self._deliver)
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
        if self._replay_fraction and verdict.error is None and self._random.random() < self._replay_fraction:
            self._replays.start(self._lot, item, verdict, self._declared)
        self._put(item.call_id, verdict, microseconds)

    def _put(self, call_id: str, verdict: Verdict, microseconds: int) -> None:
        self._judged.append(Judged(call_id, verdict, microseconds / 1000))
        self._changed.set()


_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode


def encode_call(call: Call) -> bytes:
    """A call as the guest reads it. Raises ValueError or TypeError for what is not JSON."""
    parts = [b'{"task":', _to_json(call.task)]
    for name, value in (
        (b"response", call.response),
        (b"messages", call.messages),
        (b"state", call.state),
        (b"files", call.files),
    ):
        if value is not None:
            parts += (b',"', name, b'":', _to_json(value))
    parts.append(b"}")
    return b"".join(parts)


def _to_json(value: Any) -> bytes:
    """By pydantic's core, five times as fast as ``json``; what it refuses, and NaN, is left to ``json``."""
    if not isinstance(value, (str, dict, list)):
        return _encode(value).encode("utf-8", "surrogatepass")
    try:
        encoded = to_json(value, inf_nan_mode="constants")
    except ValueError:
        return _encode(value).encode("utf-8", "surrogatepass")
    if b"NaN" in encoded or b"Infinity" in encoded:
        return _encode(value).encode("utf-8", "surrogatepass")
    return encoded


def refuse_constant(name: str) -> Any:
    """For ``json``: NaN and Infinity are not JSON."""
    raise ValueError(f"{name} is not a number that a verdict may hold")


_decode = json.JSONDecoder(parse_constant=refuse_constant).decode
_GUEST_KINDS = {ErrorKind.VERIFIER_FAILED, ErrorKind.MEMORY, ErrorKind.OUTPUT}


def verdict_of(outcome: bytes | Trouble, declared: Ranges) -> Verdict:
    """Check a reply once more, on this side: nothing that the guest sends is believed."""
    if isinstance(outcome, Trouble):
        return Verdict.unjudged(list(declared), outcome.kind, outcome.message)
    try:  # the usual case in one step: parsed and typed by pydantic's core, without coercion
        verdict = Verdict.model_validate_json(outcome, strict=True)
        if verdict.error is None and _fits(verdict.rewards, declared):
            return verdict
    except ValidationError:
        pass  # below, slowly, for the words
    try:
        reply = _decode(outcome.decode())
        error = reply.get("error")
        if error is not None:
            kind = ErrorKind(error["kind"])
            kind = kind if kind in _GUEST_KINDS else ErrorKind.VERIFIER_FAILED
            return Verdict.unjudged(list(declared), kind, str(error["message"]))
        rewards = check_vector(reply.get("rewards"), declared)
        info = reply.get("info", {})
        if not isinstance(info, dict):
            raise BrokenVectorError("info is not a dict")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as broken:
        return Verdict.unjudged(list(declared), ErrorKind.VERIFIER_FAILED, str(broken))
    return Verdict(rewards=rewards, info=info)


def _fits(rewards: Mapping[str, float | None], declared: Ranges) -> bool:
    if rewards.keys() != declared.keys():
        return False
    for name, value in rewards.items():
        if value is not None:
            low, high = declared[name]
            if not low <= value <= high:
                return False
    return True


def value_of(outcome: bytes | Trouble) -> Any:
    """The ``value`` of a reply that is not a verdict, or the exception that stands for its trouble."""
    from sandbox.errors import VerifierFailedError, error_of  # noqa: PLC0415 -- errors only on this path

    if isinstance(outcome, Trouble):
        raise error_of(outcome.kind, outcome.message)
    try:
        reply = _decode(outcome.decode())
        error = reply.get("error")
        value = reply.get("value")
    except (ValueError, AttributeError, RecursionError) as broken:
        raise VerifierFailedError(f"the package's answer is not plain JSON: {broken}") from None
    if error is not None:
        raise VerifierFailedError(str(VerdictError.model_validate(error).message))
    return value
