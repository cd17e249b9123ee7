"""One environment box and the sessions that live in it: who is asked what, and who is told when the box is lost."""

import asyncio
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from sandbox.errors import (
    BoxLostError,
    MemoryLimitError,
    OutputLimitError,
    PoolBusyError,
    SessionClosedError,
    TimeLimitError,
    VerifierFailedError,
    error_of,
)
from sandbox.guest import frames
from sandbox.guest.plain_json import parse
from sandbox.host.box import Box, BoxState
from sandbox.host.box_pool import BoxPool
from sandbox.host.clock import time_limit
from sandbox.host.guest_config import BRANCHES_SHARE
from sandbox.host.guest_messages import split_part
from sandbox.host.solution_relay import SolutionRelay
from sandbox.settings import SandboxSettings
from schemas.verdict import ErrorKind

_PATIENCE = 5  # times the grace of a call: ending a box ends all sessions in it
_MAX_REPLY_BYTES = frames.MAX_REPLY_BYTES + 4096
_AROUND_A_VALUE = 1  # levels of ours in a reply


@dataclass
class SessionContext:
    """What all session boxes of a sandbox share. ``concurrency`` are the requests that may be under way at a time."""

    pool: BoxPool
    settings: SandboxSettings
    concurrency: asyncio.Semaphore
    idents: "count[int]" = field(default_factory=lambda: count(1))


@dataclass
class _SessionChannel:
    """One session as the host knows it: who waits for its answer, and what has come of it so far."""

    relay: SolutionRelay
    """For the request that is under way: each has an allowance of its own."""
    waiting: asyncio.Future[bytes] | None = None
    parts: bytearray = field(default_factory=bytearray)

    def answer(self, reply: bytes) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_result(reply)

    def fail(self, error: Exception) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(error)


class SessionBox:
    """One environment box and the sessions that live in it. The box is occupied while there are any."""

    def __init__(
        self,
        box: Box,
        context: SessionContext,
        call_seconds: float,
        on_empty: Callable[["SessionBox"], None],
    ) -> None:
        self.box = box
        self._context = context
        self._clock = context.pool.clock
        self._call_seconds = call_seconds
        self._on_empty = on_empty
        self._channels: dict[int, _SessionChannel] = {}
        self.last_used_at = self._clock.now()
        box.occupy()  # before the session opens, so that the pool does not reuse the box as idle
        box.on_session_frame = self._take
        box.listen(self._box_changed)

    @property
    def is_alive(self) -> bool:
        return self.box.state is not BoxState.DEAD

    @property
    def session_count(self) -> int:
        """Sessions that live in it, branches included."""
        return len(self._channels)

    def new_ident(self) -> int:
        return next(self._context.idents)

    def open(self) -> int:
        """Start a session's process; returns its id."""
        ident = self.new_ident()
        self._move_in(ident)
        self.box.send(frames.OPEN, ident, b"")
        return ident

    def _move_in(self, ident: int) -> None:
        self._channels[ident] = _SessionChannel(self._relay_of(ident))
        self.box.occupy()

    def _relay_of(self, ident: int) -> SolutionRelay:
        pool = self._context.pool
        allowance = pool.limits.allowance(self._call_seconds, 1)
        return SolutionRelay(
            functools.partial(pool.solve, python=self.box.spec.python),
            lambda reply: self.box.send(frames.SOLVED, ident, reply),
            self._clock,
            allowance,
        )

    def _move_out(self, ident: int) -> _SessionChannel | None:
        channel = self._channels.pop(ident, None)
        if channel is not None:
            channel.relay.cancel()
        if not self._channels and self.box.state is BoxState.BUSY:
            self.box.vacate()
            self._on_empty(self)
        return channel

    async def ask(self, ident: int, kind: int, payload: bytes, waits_for: int | None = None) -> Any:
        """Send one request and await the reply of ``waits_for`` (default: the same session).

        Only so many are under way at a time: a thousand sessions that step at once must not run into their clocks.
        """
        async with self._context.concurrency:
            return await self._ask_now(ident, kind, payload, waits_for)

    async def _ask_now(self, ident: int, kind: int, payload: bytes, waits_for: int | None) -> Any:
        channel = self._channels.get(waits_for or ident)
        if channel is None or ident not in self._channels:
            raise SessionClosedError("this session has ended: open another")
        relay = self._channels[ident].relay = self._relay_of(ident)
        channel.waiting = asyncio.get_running_loop().create_future()
        channel.waiting.add_done_callback(lambda told: told.cancelled() or told.exception())  # nobody may wait
        self.box.send(kind, ident, payload)
        try:
            reply = await self._await_reply(channel)
        except asyncio.CancelledError:
            await self.close(ident)  # the next request would get this one's answer
            raise
        finally:
            channel.waiting = None
            self.last_used_at = self._clock.now()
        if relay.host_fault:
            raise BoxLostError(relay.host_fault)
        if relay.output_fault:
            raise OutputLimitError(relay.output_fault)
        return _value(reply)

    async def _await_reply(self, channel: _SessionChannel) -> bytes:
        assert channel.waiting is not None
        patience_seconds = self._call_seconds + _PATIENCE * self._context.settings.grace_seconds
        while True:
            try:
                async with time_limit(self._clock, patience_seconds):
                    return await asyncio.shield(channel.waiting)
            except TimeoutError:
                if channel.relay.is_busy:
                    continue
                await self.box.kill("a session's box did not answer in time")
                channel.waiting.cancel()
                raise SessionClosedError("the session's box did not answer in time and was ended") from None

    async def branch(self, ident: int, new: int) -> None:
        """Have ``ident`` fork into ``new``; the new one answers."""
        most = self._context.settings.sessions_per_box * BRANCHES_SHARE
        if len(self._channels) >= most:
            raise PoolBusyError(
                f"a box holds {most} sessions, branches included: close some, or raise sessions_per_box"
            )
        self._move_in(new)
        try:
            await self.ask(ident, frames.BRANCH, frames.SESSION_ID.pack(new), waits_for=new)
        except BaseException:  # whoever gives up waiting knows no number by which to close it
            await self.close(new)
            raise

    async def close(self, ident: int) -> None:
        """End one session; its siblings go on. Whoever waits for its answer is told."""
        self.last_used_at = self._clock.now()
        channel = self._move_out(ident)
        if channel is not None:
            self.box.send(frames.CLOSE, ident, b"")
            channel.fail(SessionClosedError("the session was closed while it worked on this request"))

    # -- from the box ------------------------------------------------------------------------------------------------

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        channel = self._channels.get(ident)
        if channel is None:
            return
        if kind == frames.ENDED:
            self._move_out(ident)
            channel.fail(self._error_of_end(frames.unpack_outcome(payload)[0]))
            return
        try:
            if kind == frames.ASK:
                channel.relay.take_part(payload)
            elif kind == frames.SAID:
                self._take_reply(channel, payload)
        except (TimeLimitError, OutputLimitError) as limit:
            self._end(ident, limit)
        except frames.ProtocolError as broken:
            self._end(ident, VerifierFailedError(str(broken)))

    def _end(self, ident: int, error: Exception) -> None:
        """End one session that broke a rule; its siblings go on."""
        channel = self._move_out(ident)
        self.box.send(frames.CLOSE, ident, b"")
        if channel is not None:
            channel.fail(error)

    @staticmethod
    def _take_reply(channel: _SessionChannel, payload: bytes) -> None:
        is_last, part = split_part(payload)
        channel.parts += part
        if len(channel.parts) > _MAX_REPLY_BYTES:
            raise OutputLimitError(f"a session answered with more than {_MAX_REPLY_BYTES} bytes and was ended")
        if channel.waiting is None or channel.waiting.done():
            raise frames.ProtocolError("the session answered though it was asked nothing")
        if is_last:
            reply = bytes(channel.parts)
            channel.parts.clear()
            channel.answer(reply)

    def _error_of_end(self, status: int) -> Exception:
        """What to raise for whoever waits for a session whose process has ended."""
        if status == frames.TIMED_OUT:
            return TimeLimitError(
                f"the session took longer than {self._call_seconds:g} s for one request and was ended"
            )
        if status == frames.RETURNED:
            return PoolBusyError("the box has no room for another session's process")
        if status == frames.BROKEN:
            return VerifierFailedError("the session answered though it was asked nothing, and was ended")
        if status == frames.OUT_OF_MEMORY:
            return MemoryLimitError("the session and its siblings needed more memory than their box has; it was ended")
        return SessionClosedError("the session's process died while it worked on this request")

    def _box_changed(self, box: Box) -> None:
        if box.state is not BoxState.DEAD:
            return
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            channel.relay.cancel()
            channel.fail(SessionClosedError("the session's box was lost: open another session"))


def _value(reply: bytes) -> Any:
    try:
        said = parse(reply, _AROUND_A_VALUE)
        error = said.get("error")
        if error is not None:
            kind = ErrorKind(error["kind"])
            kind = ErrorKind.VERIFIER_FAILED if kind is ErrorKind.HOST else kind  # a session cannot blame the host
            raise error_of(kind, str(error["message"]))
        return said["value"]
    except (ValueError, KeyError, TypeError, AttributeError) as broken:
        raise VerifierFailedError(f"the session's answer is not what it must be: {broken}") from None
