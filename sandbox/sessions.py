"""Multi-turn episodes: reset, step, state, branch, undo, close over live processes in environment boxes."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol, Self

from sandbox.box import Box, BoxState, background
from sandbox.errors import BoxLostError, SessionClosedError, TimeLimitError, VerifierFailedError, error_of
from sandbox.guest import frames
from sandbox.guest.vector import BrokenVectorError, check_vector
from sandbox.interface import Source
from sandbox.pool import Pool
from sandbox.settings import SandboxSettings
from sandbox.verdicts import refuse_constant
from schemas.task import canonical_json
from schemas.verdict import ErrorKind

_MAX_REPLY_BYTES = frames.MAX_REPLY_BYTES + 4096


@dataclass
class Replay:
    """What happened when a session's actions were done again from its seed. ``first_difference`` is a step's index."""

    steps: int
    first_difference: int | None

    @property
    def is_equal(self) -> bool:
        return self.first_difference is None


class Room(Protocol):
    """Where a session's process is: a box of this machine, or one of another's."""

    def new_ident(self) -> int: ...

    async def ask(self, ident: int, kind: int, payload: bytes) -> Any:
        """Send one request and await its value."""

    async def branch(self, ident: int, new: int) -> None: ...

    async def close(self, ident: int) -> None: ...


class Session:
    """One live episode. Requests go one after the other; guest faults are raised with the author's message.

    After :class:`~sandbox.errors.SessionClosedError` it is over: its process died, took too long, or was closed. Other
    sessions live on.
    """

    def __init__(self, room: Room, ident: int, source: Source, task: dict[str, Any], seed: int) -> None:
        self._room = room
        self._ident = ident
        self._source = source
        self.task = task
        self.seed = seed
        self.history: list[tuple[dict[str, Any], dict[str, Any]]] = []
        """``(message, what step returned)`` of every step that still counts."""
        self._turn = asyncio.Lock()

    async def reset(self) -> dict[str, Any]:
        """Begin; returns ``{"messages": […], "tools": […]}``."""
        value = await self.ask({"op": "reset", "task": self.task, "seed": self.seed})
        self.history.clear()
        return _as_dict(value, "reset()")

    async def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """One message of the model; returns ``{"messages", "done", "rewards"?}``, rewards checked as declared."""
        value = _as_dict(await self.ask({"op": "step", "message": message}), "step()")
        if value.get("rewards") is not None:
            declared = {name: reward.range for name, reward in self._source.manifest.rewards.items()}
            try:
                value["rewards"] = check_vector(value["rewards"], declared)
            except BrokenVectorError as broken:
                raise VerifierFailedError(str(broken)) from None
        self.history.append((message, value))
        return value

    async def state(self) -> dict[str, Any]:
        """What the verifier may see of it."""
        return _as_dict(await self.ask({"op": "state"}), "state()")

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call one of the package's tools in this session's process."""
        return await self.ask({"op": "tool", "name": name, "arguments": arguments})

    async def branch(self) -> "Session":
        """A second session with all of this one's past: memory and folder. Close it like any other."""
        ident = self._room.new_ident()
        other = Session(self._room, ident, self._source, self.task, self.seed)
        other.history = list(self.history)
        async with self._turn:
            await self._room.branch(self._ident, ident)
        return other

    async def undo(self) -> None:
        """Go back to before the last step; at most as many in a row as the settings' undo depth."""
        await self.ask({"op": "undo"})
        if self.history:
            self.history.pop()

    async def close(self) -> None:
        """End it. Idempotent."""
        await self._room.close(self._ident)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def ask(self, request: dict[str, Any]) -> Any:
        """One request as the guest reads it; its value as the guest gave it."""
        payload = json.dumps(request, allow_nan=False).encode()
        async with self._turn:
            return await self._room.ask(self._ident, frames.SEND, payload)


@dataclass
class _Talk:
    """A session's line as the host knows it."""

    waiting: asyncio.Future[bytes] | None = None
    parts: bytearray = field(default_factory=bytearray)
    asked: bytearray = field(default_factory=bytearray)
    solving: "asyncio.Task[None] | None" = None


class _Room:
    """One environment box and the sessions that live in it."""

    def __init__(
        self, box: Box, pool: Pool, settings: SandboxSettings, call_seconds: float, idents: "count[int]"
    ) -> None:
        self.box = box
        self._pool = pool
        self._settings = settings
        self._call_seconds = call_seconds
        self._idents = idents
        self.talks: dict[int, _Talk] = {}
        self.last_used_at = asyncio.get_running_loop().time()
        box.on_session = self._take
        self._tell_pool, box.on_dead = box.on_dead, self._lost

    @property
    def is_alive(self) -> bool:
        return self.box.state is not BoxState.DEAD

    def new_ident(self) -> int:
        return next(self._idents)

    def open(self) -> int:
        """Start a session's process; returns its id."""
        ident = self.new_ident()
        self.talks[ident] = _Talk()
        self.box.send(frames.OPEN, ident, b"")
        return ident

    async def ask(self, ident: int, kind: int, payload: bytes, waits_for: int | None = None) -> Any:
        """Send one request and await the reply of ``waits_for`` (default: the same session)."""
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
                async with asyncio.timeout(self._call_seconds + self._settings.grace_seconds):
                    return await asyncio.shield(talk.waiting)
            except TimeoutError:
                if talk.solving is not None:
                    continue
                await self.box.kill("a session's box did not answer in time")
                talk.waiting.cancel()
                raise SessionClosedError("the session's box did not answer in time and was ended") from None

    async def branch(self, ident: int, new: int) -> None:
        """Have ``ident`` fork into ``new``; the newborn answers."""
        self.talks[new] = _Talk()
        try:
            await self.ask(ident, frames.BRANCH, frames.SESSION_ID.pack(new), waits_for=new)
        except BaseException:
            self.talks.pop(new, None)
            raise

    async def close(self, ident: int) -> None:
        """End one session; its siblings go on."""
        self.last_used_at = asyncio.get_running_loop().time()
        talk = self.talks.pop(ident, None)
        if talk is not None:
            if talk.solving is not None:
                talk.solving.cancel()
            self.box.send(frames.CLOSE, ident, b"")

    # -- from the box ------------------------------------------------------------------------------------------------

    def _take(self, kind: int, ident: int, payload: bytes) -> None:
        talk = self.talks.get(ident)
        if talk is None:
            return
        if kind == frames.ENDED:
            self.talks.pop(ident)
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
            reply = await self._pool.solve(request)
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


async def replay_in(again: Session, session: Session) -> Replay:
    """Do ``session``'s actions in ``again``, a new session of the same task and seed, and close that."""
    try:
        await again.reset()
        for index, (message, before) in enumerate(session.history):
            value = await again.step(message)
            if canonical_json(value) != canonical_json(before):
                return Replay(index + 1, index)
    finally:
        await again.close()
    return Replay(len(session.history), None)


class SessionHouse:
    """Places sessions in environment boxes: several of one release share a box, releases never do."""

    def __init__(self, pool: Pool, settings: SandboxSettings) -> None:
        self._pool = pool
        self._settings = settings
        self._rooms: dict[str, list[_Room]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._idents = count(1)

    @asynccontextmanager
    async def session(self, source: Source, task: dict[str, Any], seed: int) -> AsyncIterator[Session]:
        """A session for the length of the ``async with``."""
        session = await self.open(source, task, seed)
        try:
            yield session
        finally:
            await session.close()
            await self._leave(source)

    async def open(self, source: Source, task: dict[str, Any], seed: int = 0) -> Session:
        """A session that the caller closes."""
        manifest = source.manifest
        if manifest.session is None and manifest.harness is None and not manifest.own_tools:
            raise VerifierFailedError(f"{manifest.id} declares no session; score its responses instead")
        room = await self._room(source)
        return Session(room, room.open(), source, task, seed)

    async def replay(self, source: Source, session: Session) -> Replay:
        """Do ``session``'s actions again from its seed in a new one: equal answers mean that it is deterministic."""
        return await replay_in(await self.open(source, session.task, session.seed), session)

    async def _room(self, source: Source) -> _Room:
        lock = self._locks.setdefault(source.digest, asyncio.Lock())
        async with lock:
            rooms = self._rooms.setdefault(source.digest, [])
            rooms[:] = [room for room in rooms if room.is_alive]
            for room in rooms:
                is_young = room.box.age_seconds < self._settings.box_lifetime_seconds
                if is_young and len(room.talks) < self._settings.sessions_per_box:
                    return room
            box = await self._pool.open_environment(source)
            rooms.append(_Room(box, self._pool, self._settings, source.manifest.sandbox.timeout_seconds, self._idents))
            return rooms[-1]

    async def _leave(self, source: Source) -> None:
        """Keep one empty box warm for the next session, for a while; end the others."""
        rooms = self._rooms.get(source.digest, [])
        empty = [room for room in rooms if not room.talks]
        for room in empty[1:]:
            rooms.remove(room)
            await room.box.kill("no sessions in it")
        if empty:
            idle_seconds = self._settings.box_idle_seconds
            asyncio.get_running_loop().call_later(idle_seconds, self._retire_if_idle, source.digest, empty[0])

    def _retire_if_idle(self, digest: str, room: _Room) -> None:
        idle_since = asyncio.get_running_loop().time() - room.last_used_at
        if not room.talks and room.is_alive and idle_since >= self._settings.box_idle_seconds:
            self._rooms.get(digest, []).remove(room)
            background(room.box.kill("idle"))


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


def _as_dict(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise VerifierFailedError(f"the session's {what} must return a dict, not {type(value).__name__}")
    return value
