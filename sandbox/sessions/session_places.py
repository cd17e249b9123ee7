"""Opening sessions, wherever their processes are."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sandbox.errors import VerifierFailedError
from sandbox.interface import Source
from sandbox.sessions.sessions import Session, SessionReplay, replay_in


class SessionPlaces(ABC):
    """What every kind of sandbox offers for sessions. A subclass says where a session's process begins."""

    @asynccontextmanager
    async def session(self, source: Source, task: dict[str, Any], seed: int) -> AsyncIterator[Session]:
        """A session for the length of the ``async with``."""
        session = await self.open(source, task, seed)
        try:
            yield session
        finally:
            await session.close()

    async def open(self, source: Source, task: dict[str, Any], seed: int = 0) -> Session:
        """A session that the caller closes. Raises ``VerifierFailedError`` where the release declares none."""
        manifest = source.manifest
        if manifest.session is None and manifest.harness is None and not manifest.own_tools:
            raise VerifierFailedError(f"{manifest.id} declares no session; score its responses instead")
        return await self._begin(source, task, seed)

    async def replay(self, source: Source, session: Session) -> SessionReplay:
        """Do ``session``'s actions again from its seed in a new one: equal answers mean that it is deterministic."""
        return await replay_in(await self.open(source, session.task, session.seed), session)

    @abstractmethod
    async def _begin(self, source: Source, task: dict[str, Any], seed: int) -> Session:
        """Begin the process of a session of ``source``, which declares sessions."""
