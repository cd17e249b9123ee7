"""One environment box and the sessions that live in it: who is asked what, and who is told when the box is lost."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from sandbox.box import Box, BoxState, background
from sandbox.configuring import BRANCHES_SHARE
from sandbox.errors import (
    BoxLostError,
    MemoryLimitError,
    PoolBusyError,
    SessionClosedError,
    TimeLimitError,
    VerifierFailedError,
    error_of,
)
from sandbox.guest import frames
from sandbox.pool import Pool
from sandbox.settings import SandboxSettings
from sandbox.verdicts import refuse_constant
from schemas.verdict import ErrorKind

_PATIENCE = 5  # times the grace of a call: ending a box ends all sessions in it
_MAX_REPLY_BYTES = frames.MAX_REPLY_BYTES + 4096


@dataclass
class Desk:
    """What all rooms of a sandbox share. ``turns`` are the requests that may be under way at a time."""

    pool: Pool
    settings: SandboxSettings
    turns: asyncio.Semaphore
    idents: "count[int]" = field(default_factory=lambda: count(1))


@dataclass
class _Talk:
    """A session's line as the host knows it."""

    waiting: asyncio.Future[bytes] | None = None
    parts: bytearray = field(default_factory=bytearray)
    asked: bytearray = field(default_factory=bytearray)
    solving: "asyncio.Task[None] | None" = None


class EnvironmentRoom:
    """One environment box and the sessions that live in it."""

    def __init__(
        self, box: Box, desk: "Desk", call_seconds: float, on_empty: Callable[["EnvironmentRoom"], None]
    ) -> None:
        self.box = box
        self._desk = desk
        self._call_seconds = call_seconds
        self._on_empty = on_empty
        self.talks: dict[int, _Talk] = {}
        self.last_used_at = asyncio.get_running_loop().time()
        box.state = BoxState.BUSY  # a session is about to move in: nobody may take it for idle
        box.on_session = self._take
        self._tell_pool, box.on_dead = box.on_dead, self._lost

    @property
    def is_alive(self) -> bool:
        return self.box.state is not BoxState.DEAD

    def new_ident(self) -> int:
        return next(self._desk.idents)

    def open(self) -> int:
        """Start a session's process; returns its id."""
        ident = self.new_ident()
        self._move_in(ident)
        self.box.send(frames.OPEN, ident, b"")
        return ident

    def _move_in(self, ident: int) -> None:
        self.talks[ident] = _Talk()
        if self.box.state is BoxState.IDLE:
            self.box.state = BoxState.BUSY

    def _move_out(self, ident: int) -> _Talk | None:
        talk = self.talks.pop(ident, None)
        if talk is not None and talk.solving is not None:
            talk.solving.cancel()
        if not self.talks and self.box.state is BoxState.BUSY:
            self.box.state = BoxState.IDLE
            self.box.idle_since = time.monotonic()
            self._on_empty(self)
        return talk

    async def ask(self, ident: int, kind: int, payload: bytes, waits_for: int | None = None) -> Any:
        """Send one request and await the reply of ``waits_for`` (default: the same session).

        Only so many are under way at a time: a thousand sessions that step at once must not run into their clocks.
        """
        async with self._desk.turns:
            return await self._ask_now(ident, kind, payload, waits_for)

    async def _ask_now(self, ident: int, kind: int, payload: bytes, waits_for: int | None) -> Any:
        talk = self.talks.get(waits_for or ident)
        if talk is None or ident not in self.talks:
            raise SessionClosedError("this session has ended: open another")
        talk.waiting = asyncio.get_running_loop().create_future()
        talk.waiting.add_done_callback(lambda told: told.cancelled() or told.exception())  # told even if nobody waits
        self.box.send(kind, ident, payload)
        try:
            reply = await self._await_reply(talk)
        except asyncio.CancelledError:
            await self.close(ident)  # its answer would come to whoever asks next
            raise
        finally:
            talk.waiting = None
            self.last_used_at = asyncio.get_running_loop().time()
        return _value(reply)

    async def _await_reply(self, talk: _Talk) -> bytes:
        assert talk.waiting is not None
        while True:
            try:
                async with asyncio.timeout(self._call_seconds + _PATIENCE * self._desk.settings.grace_seconds):
                    return await asyncio.shield(talk.waiting)
            except TimeoutError:
                if talk.solving is not None:
                    continue
                await self.box.kill("a session's box did not answer in time")
                talk.waiting.cancel()
                raise SessionClosedError("the session's box did not answer in time and was ended") from None

    async def branch(self, ident: int, new: int) -> None:
        """Have ``ident`` fork into ``new``; the newborn answers."""
        most = self._desk.settings.sessions_per_box * BRANCHES_SHARE
        if len(self.talks) >= most:
            raise PoolBusyError(
                f"a box holds {most} sessions, branches included: close some, or raise sessions_per_box"
            )
        self._move_in(new)
        try:
            await self.ask(ident, frames.BRANCH, frames.SESSION_ID.pack(new), waits_for=new)
        except BaseException:
            await self.close(new)
            raise

    async def close(self, ident: int) -> None:
        """End one session; its siblings go on."""
        self.last_used_at = asyncio.get_running_loop().time()
        if self._move_out(ident) is not None:
            self.box.send(frames.CLOSE, ident, b"")

    # -- from the box ------------------------------------------------------------------------------------------------

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        talk = self.talks.get(ident)
        if talk is None:
            return
        if kind == frames.ENDED:
            self._move_out(ident)
            status = frames.OUTCOME.unpack(payload)[0]
            self._hang_up(talk, status)
        elif kind == frames.ASK:
            talk.asked += payload[1:]
            if payload[0] == 1:
                request = bytes(talk.asked)
                talk.asked.clear()
                talk.solving = asyncio.get_running_loop().create_task(self._solve(ident, talk, request))
        elif kind == frames.SAID:
            talk.parts += payload[1:]
            if len(talk.parts) > _MAX_REPLY_BYTES:
                raise frames.ProtocolError("a session's reply that has no end")
            if payload[0] == 1:
                reply = bytes(talk.parts)
                talk.parts.clear()
                if talk.waiting is not None and not talk.waiting.done():
                    talk.waiting.set_result(reply)

    async def _solve(self, ident: int, talk: _Talk, request: bytes) -> None:
        try:
            reply = await self._desk.pool.solve(request)
        except BoxLostError as fault:
            reply = json.dumps({"host_fault": str(fault)}).encode()
        talk.solving = None
        self.box.send(frames.SOLVED, ident, reply)

    def _hang_up(self, talk: _Talk, status: int) -> None:
        if talk.waiting is None or talk.waiting.done():
            return
        if status == frames.TIMED_OUT:
            error: Exception = TimeLimitError(
                f"the session took longer than {self._call_seconds:g} s for one request and was ended"
            )
        elif status == frames.RETURNED:
            error = PoolBusyError("the box has no room for another session's process")
        elif status == frames.OUT_OF_MEMORY:
            error = MemoryLimitError("the session and its siblings needed more memory than their box has; it was ended")
        else:
            error = SessionClosedError("the session's process died while it worked on this request")
        talk.waiting.set_exception(error)

    def _lost(self) -> None:
        if self._tell_pool is not None:
            self._tell_pool()
        background(self.box.kill("it is lost"))
        talks, self.talks = self.talks, {}
        for talk in talks.values():
            if talk.waiting is not None and not talk.waiting.done():
                talk.waiting.set_exception(SessionClosedError("the session's box was lost: open another session"))


def _value(reply: bytes) -> Any:
    try:
        said = json.loads(reply, parse_constant=refuse_constant)
        error = said.get("error")
        if error is not None:
            kind = ErrorKind(error["kind"])
            raise error_of(kind, str(error["message"]))
        return said["value"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as broken:
        raise VerifierFailedError(f"the session's answer is not what it must be: {broken}") from None
