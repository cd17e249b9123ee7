"""One node's side: a sandbox of its own over the local engine, asked by one driver."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

from sandbox.backends import make_backend
from sandbox.cluster.link import NodeFacts, NodeReport, pack_rows, row_of
from sandbox.cluster.wheel_transfer import ReleaseHeader, WheelFolder
from sandbox.errors import NodeLostError, SandboxError, SandboxUnavailableError, SessionClosedError
from sandbox.host.engine_watch import unless_silent
from sandbox.host.scoring_stream import Judged, judged_channel
from sandbox.interface import Backend, BoxInfo, EncodedCall, Source
from sandbox.sandbox import Sandbox
from sandbox.sessions.sessions import Session
from sandbox.settings import SandboxSettings
from sandbox.streams import Channel, produced_lists
from schemas.manifest import Isolation

_GATHER_SECONDS = 0.05  # verdicts are packed together: each message wakes both ends
_ENGINE_PATIENCE_SECONDS = 5.0
"""So long a box may take before the engine is looked at, and so long the engine may take then. Chosen, as a hub's."""
Answer = tuple[Any, Exception | None]
_Result = TypeVar("_Result")


def own_version() -> str:
    """The version of Verihub that is installed here."""
    try:
        return version("verihub")
    except PackageNotFoundError:
        return "unknown"


class SandboxNode:
    """Runs in a process on the node (a Ray actor), within one event loop. When it dies, its boxes end by end of file.

    Limits and times come from the driver, as far as it sets any. The engine, the runtime and the folders are the node's
    own.
    """

    def __init__(self, backend: str | Backend, chosen: Mapping[str, Any]) -> None:
        self._backend = backend
        self._settings = SandboxSettings(**chosen)
        self._sandbox: Sandbox | None = None
        self._wheels = WheelFolder(self._settings.state_folder / "node-wheels")
        self._sources: dict[str, Source] = {}
        self._sessions: dict[int, Session] = {}
        self._rooms: dict[int, AbstractAsyncContextManager[Session]] = {}
        self._look: asyncio.Future[None] | None = None

    async def ask(self, method: str, *arguments: Any) -> Answer:
        """``(value, None)`` or ``(None, what it raised)`` of the method ``on_{method}``."""
        work: Callable[..., Awaitable[Any]] = getattr(self, f"on_{method}")
        try:
            return await work(*arguments), None
        except (SandboxError, KeyError, ValueError, TypeError) as error:
            return None, error.with_traceback(None)

    async def judge(self, key: str, isolation: Isolation, calls: Sequence[bytes]) -> AsyncGenerator[bytes]:
        """Packed rows of one call group in completion order, as many at a time as are there."""
        encoded = [EncodedCall(str(number), payload) for number, payload in enumerate(calls)]
        running, source = self._running, self._held(key)

        async def work(verdicts: Channel[Judged]) -> None:
            await self._attended(source, running.judge_into(source, encoded, verdicts, isolation=isolation))

        async with aclosing(produced_lists(work, judged_channel, gather_seconds=_GATHER_SECONDS)) as batches:
            async for batch in batches:
                yield pack_rows([row_of(int(one.id), one.verdict, one.milliseconds) for one in batch])

    # -- what the driver asks for by name ----------------------------------------------------------------------------

    async def on_hello(self) -> NodeFacts:
        """Make the sandbox and see that its engine answers."""
        if self._sandbox is None:
            backend = self._backend
            if isinstance(backend, str):
                backend = await asyncio.to_thread(make_backend, backend, self._settings)
            sandbox = Sandbox(backend, self._settings)
            sandbox.attended = self._unless_silent  # who waits for a model's own code too
            await sandbox.check()
            self._sandbox = sandbox
        return NodeFacts(own_version(), os.getpid(), self._settings.boxes_per_package)

    async def on_report(self) -> NodeReport:
        running = self._running
        found = {source.digest: running.replays(source) for source in self._sources.values()}
        replays = {
            digest: (replay.compared, replay.mismatch_count, replay.pending)
            for digest, replay in found.items()
            if replay.compared or replay.pending
        }
        return NodeReport(running.render_metrics(), replays)

    async def on_missing(self, digests: Sequence[str]) -> list[str]:
        """Which of these wheels (hexadecimal SHA-256) the node does not have, or has no longer as they were."""
        return await asyncio.to_thread(self._wheels.missing, digests)

    async def on_hold(self, header: ReleaseHeader, *blobs: bytes) -> None:
        """Keep a release; ``blobs`` are the wheels that were missing, in any order: each is known by its digest."""
        source = await asyncio.to_thread(self._wheels.keep, header, blobs)
        self._sources[source.boxes_key] = source

    async def on_warm(self, key: str, boxes: int) -> BoxInfo:
        source = self._held(key)
        return await self._attended(source, self._running.warm(source, boxes))

    async def on_generate(self, key: str, entry: str, split: str, count: int, start: int, seed: int) -> list[Any]:
        source = self._held(key)
        made = self._running.generate(source, entry, split=split, count=count, start=start, seed=seed)
        return await self._attended(source, made)

    async def on_tools(self, key: str) -> list[dict[str, Any]]:
        source = self._held(key)
        return await self._attended(source, self._running.tools(source))

    async def on_call_tool(self, key: str, name: str, arguments: dict[str, Any]) -> Any:
        source = self._held(key)
        return await self._attended(source, self._running.call_tool(source, name, arguments))

    async def on_image_digest(self, key: str) -> str:
        return await self._running.image_digest(self._held(key))

    # -- sessions, by the driver's numbers ---------------------------------------------------------------------------

    async def on_session_open(self, key: str, ident: int, task: dict[str, Any], seed: int) -> None:
        room = self._running.session(self._held(key), task, seed=seed)
        self._sessions[ident] = await self._unless_silent(lambda: False, room.__aenter__())
        self._rooms[ident] = room

    async def on_session_ask(self, ident: int, request: dict[str, Any]) -> Any:
        return await self._session(ident).ask(request)

    async def on_session_branch(self, ident: int, new: int) -> None:
        self._sessions[new] = await self._session(ident).branch()

    async def on_session_close(self, ident: int) -> None:
        session, room = self._sessions.pop(ident, None), self._rooms.pop(ident, None)
        if room is not None:
            await room.__aexit__(None, None, None)
        elif session is not None:
            await session.close()

    async def on_close(self) -> None:
        """End every box."""
        if self._sandbox is not None:
            await self._sandbox.aclose()

    # ----------------------------------------------------------------------------------------------------------------

    @property
    def _running(self) -> Sandbox:
        if self._sandbox is None:
            raise NodeLostError("this node has not been made ready")
        return self._sandbox

    async def _attended(self, source: Source, work: Coroutine[Any, Any, _Result]) -> _Result:
        """What ``work`` gives, which may wait for a box of ``source`` no longer than the engine answers.

        Raises SandboxUnavailableError, and the driver tries another node. Nobody else can see this engine: the node
        itself goes on answering, and would be waited for.
        """
        return await self._unless_silent(lambda: self._running.has_box(source), work)

    async def _unless_silent(self, has_box: Callable[[], bool], work: Coroutine[Any, Any, _Result]) -> _Result:
        return await unless_silent(
            work, has_box=has_box, see_engine=self._see_engine, every_seconds=_ENGINE_PATIENCE_SECONDS
        )

    async def _see_engine(self) -> None:
        """Whoever waits shares one look, and what the engine answers is no matter: who opens the box is told."""
        if self._look is None or self._look.done():
            self._look = asyncio.ensure_future(self._running.check())
            self._look.add_done_callback(lambda look: look.cancelled() or look.exception())
        await asyncio.wait([self._look], timeout=_ENGINE_PATIENCE_SECONDS)
        if not self._look.done():
            raise SandboxUnavailableError(
                f"the engine of a sandbox node has not answered within {_ENGINE_PATIENCE_SECONDS:g} seconds"
            )

    def _held(self, key: str) -> Source:
        source = self._sources.get(key)
        if source is None:
            raise NodeLostError("this node does not have the release: it is new here")
        return source

    def _session(self, ident: int) -> Session:
        session = self._sessions.get(ident)
        if session is None:
            raise SessionClosedError("this session has ended: open another")
        return session
