"""Where sessions live: boxes that several sessions of one release share, opened as they are needed."""

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import Any

from sandbox.errors import HostFaultError
from sandbox.host.background import background
from sandbox.host.box_pool import BoxPool
from sandbox.interface import Source
from sandbox.sessions.session_box import SessionBox, SessionContext
from sandbox.sessions.session_places import SessionPlaces
from sandbox.sessions.sessions import Session, SessionReplay
from sandbox.settings import SandboxSettings


class SessionPool(SessionPlaces):
    """Places sessions in environment boxes: several of one release share a box, releases never do."""

    def __init__(self, pool: BoxPool, settings: SandboxSettings) -> None:
        self._pool = pool
        self._settings = settings
        self._context = SessionContext(pool, settings, asyncio.Semaphore(settings.session_requests))
        self._metrics = pool.metrics
        self._boxes: dict[str, list[_PlannedBox]] = {}
        """By the release's digest; a release without boxes has no entry."""

    async def _begin(self, source: Source, task: dict[str, Any], seed: int) -> Session:
        box, ident = await self._place(source)
        session = Session(box, ident, source, task, seed)
        session.place_again = lambda: None if box.is_alive else self._place(source)
        return session

    async def replay(self, source: Source, session: Session) -> SessionReplay:
        """As every kind of sandbox does it, and counted."""
        replay = await super().replay(source, session)
        self._metrics.count("session_replays", source.manifest.id)
        self._metrics.count("session_replay_mismatches", source.manifest.id, by=int(not replay.is_equal))
        return replay

    async def _place(self, source: Source) -> tuple[SessionBox, int]:
        """A new session's process, in a box with room for it; host faults are tried again in another."""
        for attempt in count(1):
            planned = self._box_with_room(source)
            planned.awaited += 1
            try:
                box = await asyncio.shield(planned.opening)
            except HostFaultError:
                if attempt > self._settings.host_retries:
                    raise
                await self._pool.clock.sleep(0.1 * 2**attempt)
                continue
            finally:
                planned.awaited -= 1
            if box.is_alive:
                self._metrics.count("sessions", source.manifest.id)
                return box, box.open()
        raise AssertionError  # count() has no end

    def _box_with_room(self, source: Source) -> "_PlannedBox":
        """A box of this release that has room, or will have, or else a new one."""
        self._forget_lost(source)
        boxes = self._boxes.setdefault(source.digest, [])
        for planned in boxes:
            if planned.has_room(self._settings):
                return planned
        planned = _PlannedBox(asyncio.get_running_loop().create_task(self._open_box(source)))
        planned.opening.add_done_callback(lambda opened: opened.cancelled() or opened.exception())  # told to who waits
        boxes.append(planned)
        return planned

    def _forget_lost(self, source: Source) -> None:
        kept = [planned for planned in self._boxes.get(source.digest, ()) if not planned.is_lost]
        if kept:
            self._boxes[source.digest] = kept
        else:
            self._boxes.pop(source.digest, None)

    async def _open_box(self, source: Source) -> SessionBox:
        box = await self._pool.open_environment(source)
        box.listen(lambda _: self._forget_lost(source))
        return SessionBox(
            box, self._context, source.manifest.sandbox.timeout_seconds, lambda emptied: self._emptied(source, emptied)
        )

    def _emptied(self, source: Source, box: SessionBox) -> None:
        """Keep one empty box warm for the next session, for a while; end the others."""
        opened = [planned.box for planned in self._boxes.get(source.digest, ())]
        if sum(other is not None and other.is_alive and not other.session_count for other in opened) > 1:
            background(box.box.kill("no sessions in it"))
        else:
            self._pool.clock.call_later(self._settings.box_idle_seconds, lambda: self._retire_if_idle(box))

    def _retire_if_idle(self, box: SessionBox) -> None:
        idle_seconds = self._pool.clock.now() - box.last_used_at
        if not box.session_count and box.is_alive and idle_seconds >= self._settings.box_idle_seconds:
            background(box.box.kill("idle"))


@dataclass
class _PlannedBox:
    """A box that is open or being opened, and how many wait for it."""

    opening: "asyncio.Task[SessionBox]"
    awaited: int = 0

    @property
    def box(self) -> SessionBox | None:
        """The box, once it is open."""
        is_open = self.opening.done() and not self.opening.cancelled() and self.opening.exception() is None
        return self.opening.result() if is_open else None

    @property
    def is_lost(self) -> bool:
        """True when its box could not be opened or is gone."""
        return self.opening.done() and (self.box is None or not self.box.is_alive)

    def has_room(self, settings: SandboxSettings) -> bool:
        """Whether one more session may live there."""
        box = self.box
        if box is None:
            return self.awaited < settings.sessions_per_box
        is_young = box.box.age_seconds < settings.box_lifetime_seconds
        return is_young and box.session_count + self.awaited < settings.sessions_per_box
