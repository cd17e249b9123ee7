"""Multi-turn episodes: reset, step, state, branch, undo, close over live processes in environment boxes."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol, Self

from sandbox.box import background
from sandbox.errors import (
    HostFaultError,
    SessionClosedError,
    VerifierFailedError,
)
from sandbox.guest import frames
from sandbox.guest.vector import BrokenVectorError, check_vector
from sandbox.interface import Source
from sandbox.pool import Pool
from sandbox.rooms import Desk, EnvironmentRoom
from sandbox.settings import SandboxSettings
from schemas.task import canonical_json


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
        self.reseat: Callable[[], Awaitable[tuple[Room, int]] | None] | None = None
        """Finds another place for a session that has not begun, where its box is lost."""
        self.task = task
        self.seed = seed
        self.history: list[tuple[dict[str, Any], dict[str, Any]]] = []
        """``(message, what step returned)`` of every step that still counts."""
        self._turn = asyncio.Lock()

    async def reset(self) -> dict[str, Any]:
        """Begin; returns ``{"messages": […], "tools": […]}``. A box that is lost before this costs nothing."""
        request = {"op": "reset", "task": self.task, "seed": self.seed}
        try:
            value = await self.ask(request)
        except SessionClosedError:
            elsewhere = self.reseat and self.reseat()
            if elsewhere is None:
                raise
            self._room, self._ident = await elsewhere
            value = await self.ask(request)
        self.reseat = None
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
        self._desk = Desk(pool, settings, asyncio.Semaphore(settings.session_requests))
        self._metrics = pool.metrics
        self._doors: dict[str, list[_Door]] = {}

    @asynccontextmanager
    async def session(self, source: Source, task: dict[str, Any], seed: int) -> AsyncIterator[Session]:
        """A session for the length of the ``async with``."""
        session = await self.open(source, task, seed)
        try:
            yield session
        finally:
            await session.close()

    async def open(self, source: Source, task: dict[str, Any], seed: int = 0) -> Session:
        """A session that the caller closes."""
        manifest = source.manifest
        if manifest.session is None and manifest.harness is None and not manifest.own_tools:
            raise VerifierFailedError(f"{manifest.id} declares no session; score its responses instead")
        room, ident = await self._seat(source)
        session = Session(room, ident, source, task, seed)
        session.reseat = lambda: None if room.is_alive else self._seat(source)
        return session

    async def replay(self, source: Source, session: Session) -> Replay:
        """Do ``session``'s actions again from its seed in a new one: equal answers mean that it is deterministic."""
        replay = await replay_in(await self.open(source, session.task, session.seed), session)
        self._metrics.count("session_replays", source.manifest.id)
        self._metrics.count("session_replay_mismatches", source.manifest.id, by=int(not replay.is_equal))
        return replay

    async def _seat(self, source: Source) -> tuple[EnvironmentRoom, int]:
        """A new session's process, in a box with room for it; host faults are tried again in another."""
        for attempt in count(1):
            door = self._door(source)
            door.awaited += 1
            try:
                room = await asyncio.shield(door.opening)
            except HostFaultError:
                if attempt > self._settings.host_retries:
                    raise
                await asyncio.sleep(0.1 * 2**attempt)
                continue
            finally:
                door.awaited -= 1
            if room.is_alive:
                self._metrics.count("sessions", source.manifest.id)
                return room, room.open()
        raise AssertionError  # count() has no end

    def _door(self, source: Source) -> "_Door":
        """A box of this release that has room, or will have, or else a new one."""
        doors = self._doors.setdefault(source.digest, [])
        doors[:] = [door for door in doors if not door.is_shut]
        for door in doors:
            if door.has_room(self._settings):
                return door
        door = _Door(asyncio.get_running_loop().create_task(self._open_room(source)))
        door.opening.add_done_callback(lambda opened: opened.cancelled() or opened.exception())  # told to who waits
        doors.append(door)
        return door

    async def _open_room(self, source: Source) -> EnvironmentRoom:
        box = await self._pool.open_environment(source)
        return EnvironmentRoom(
            box, self._desk, source.manifest.sandbox.timeout_seconds, lambda room: self._emptied(source, room)
        )

    def _emptied(self, source: Source, room: EnvironmentRoom) -> None:
        """Keep one empty box warm for the next session, for a while; end the others."""
        doors = self._doors.get(source.digest, [])
        empty = [door.room for door in doors if door.room is not None and door.room.is_alive and not door.room.talks]
        if len(empty) > 1:
            background(room.box.kill("no sessions in it"))
        else:
            idle_seconds = self._settings.box_idle_seconds
            asyncio.get_running_loop().call_later(idle_seconds, self._retire_if_idle, room)

    def _retire_if_idle(self, room: EnvironmentRoom) -> None:
        idle_since = asyncio.get_running_loop().time() - room.last_used_at
        if not room.talks and room.is_alive and idle_since >= self._settings.box_idle_seconds:
            background(room.box.kill("idle"))


@dataclass
class _Door:
    """A box that is open or being opened, and how many wait for it."""

    opening: "asyncio.Task[EnvironmentRoom]"
    awaited: int = 0

    @property
    def room(self) -> EnvironmentRoom | None:
        """The box, once it is open."""
        is_open = self.opening.done() and not self.opening.cancelled() and self.opening.exception() is None
        return self.opening.result() if is_open else None

    @property
    def is_shut(self) -> bool:
        """True when its box could not be opened or is gone."""
        return self.opening.done() and (self.room is None or not self.room.is_alive)

    def has_room(self, settings: SandboxSettings) -> bool:
        """Whether one more session may live there."""
        room = self.room
        if room is None:
            return self.awaited < settings.sessions_per_box
        is_young = room.box.age_seconds < settings.box_lifetime_seconds
        return is_young and len(room.talks) + self.awaited < settings.sessions_per_box


def _as_dict(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise VerifierFailedError(f"the session's {what} must return a dict, not {type(value).__name__}")
    return value
