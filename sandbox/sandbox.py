"""The sandbox of one process, for asyncio: it owns its boxes and ends them when it is closed."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import replace
from itertools import islice
from types import TracebackType
from typing import Any, Self

from cachetools import LRUCache

from sandbox.errors import OutputLimitError, SandboxError, TimeLimitError, VerifierFailedError
from sandbox.host.box_pool import Attended, BoxPool
from sandbox.host.clock import Clock
from sandbox.host.metrics import SandboxMetrics
from sandbox.host.scoring_stream import Calls, Judged, Replays, ScoringStream
from sandbox.host.solution_request import ask
from sandbox.host.verdict_codec import value_of
from sandbox.host.wheel_contents import contents_of
from sandbox.interface import Backend, BoxInfo, Source
from sandbox.models.access import ModelAccess
from sandbox.sessions.session_pool import SessionPool
from sandbox.sessions.sessions import Session
from sandbox.settings import SandboxSettings
from sandbox.streams import Channel
from schemas.manifest import Isolation
from schemas.sources import DataFile
from schemas.verdict import Verdict

_GENERATE_TOGETHER = 200  # chosen: tasks in one call, so one fork
_GENERATE_WHEN_SLOW = 25  # chosen, not measured
_KEPT_REPLAYS = 1024  # of the releases that were judged last

Generate = Callable[..., Awaitable[list[Any]]]
"""The method ``generate`` of a sandbox."""


class Sandbox:
    """Runs packages that nobody here trusts, over one backend.

    Use as an async context manager, within one event loop: leaving it ends every box.
    """

    def __init__(
        self,
        backend: Backend,
        settings: SandboxSettings | None = None,
        clock: Clock | None = None,
        access: ModelAccess | None = None,
    ) -> None:
        self.access = access
        """Where verifiers ask a model; None where none is offered."""
        self.attended: Attended | None = None
        """How solutions are waited for that verifiers and sessions ask for; None: as long as they may take."""
        self.settings = settings or SandboxSettings()
        self.backend = backend
        self.metrics = SandboxMetrics()
        self._clock = clock
        self._pool: BoxPool | None = None
        self._replays: LRUCache[str, Replays] = LRUCache(_KEPT_REPLAYS)
        self._sessions: SessionPool | None = None
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def pool(self) -> BoxPool:
        """The boxes; made at first use, inside the running loop."""
        if self._is_closed:
            raise SandboxError("this sandbox is closed: make a new one")
        if self._pool is None:
            self._pool = BoxPool(self.backend, self.settings, self.metrics, self._clock, self.access)
            if self.attended is not None:
                self._pool.attended = self.attended
        return self._pool

    async def score(
        self, source: Source, calls: Calls, *, isolation: Isolation | None = None
    ) -> AsyncGenerator[tuple[str, Verdict]]:
        """Yield ``(id, verdict)`` for every call, in completion order; ids in = ids out.

        ``isolation`` may raise the package's own level, never lower it. What goes wrong is in the verdict: this raises
        only for a package without a verifier of its own (VerifierFailedError) and for calls that are not JSON.
        """
        async with aclosing(self._stream(source, isolation).lists(calls)) as lists:
            async for together in lists:
                for one in together:
                    yield one.id, one.verdict

    async def judge(
        self, source: Source, calls: Calls, *, isolation: Isolation | None = None
    ) -> AsyncGenerator[Judged]:
        """:meth:`score`, with the milliseconds that the package's code took."""
        async with aclosing(self._stream(source, isolation).lists(calls)) as lists:
            async for together in lists:
                for one in together:
                    yield one

    async def judge_into(
        self, source: Source, calls: Calls, verdicts: Channel[Judged], *, isolation: Isolation | None = None
    ) -> None:
        """:meth:`judge`, with a channel for its verdicts, which any thread may read. It is closed after the last."""
        await self._stream(source, isolation).run(calls, verdicts)

    def _stream(self, source: Source, isolation: Isolation | None) -> ScoringStream:
        manifest = source.manifest
        level = level_of(source, isolation)
        return ScoringStream(
            self.pool.verifier_dispatcher(source, single_use=level is Isolation.BOX),
            {name: reward.range for name, reward in manifest.rewards.items()},
            isolation=level,
            timeout_seconds=manifest.sandbox.timeout_seconds,
            replays=self.replays(source),
            replay_fraction=self.settings.replay_fraction,
        )

    def replays(self, source: Source) -> Replays:
        """What replaying a sample one level up has found for this release."""
        if source.digest not in self._replays:
            self._replays[source.digest] = Replays()
        return self._replays[source.digest]

    async def warm(self, source: Source, boxes: int = 1) -> BoxInfo:
        """Have boxes ready. Raises what keeps the package from being loaded."""
        ready = await self.pool.verifier_dispatcher(source).boxes.ensure(boxes)
        return replace(ready[0].info, image_digest=await self.image_digest(source))

    async def tasks(
        self, source: Source, split: str, *, start: int = 0, count: int = 100, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Rows ``start`` to ``start + count`` of a split. A file is read here; a generator runs in the box.

        Raises KeyError for an unknown split, guest faults for a generator that fails.
        """
        return await tasks_of(source, split, start, count, seed, self.generate)

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[Any]:
        """What the generator ``entry`` makes for ``start`` to ``start + count``: tasks, or a package's own probes.

        Rows that together are too large for one reply are asked for in smaller parts; so are those that together take
        too long, once: on a busy machine the limit is reached by many tasks, each of which is quick.
        """
        made: list[Any] = []
        together = _GENERATE_TOGETHER
        while len(made) < count:
            first, wanted = start + len(made), min(together, count - len(made))
            request = {"op": "generate", "entry": entry, "split": split, "seed": seed, "start": first, "count": wanted}
            try:
                rows = await self._value(source, request)
            except OutputLimitError:
                if wanted == 1:
                    raise
                together = wanted // 2
                continue
            except TimeLimitError:
                if wanted <= _GENERATE_WHEN_SLOW:
                    raise
                together = _GENERATE_WHEN_SLOW
                continue
            made += rows
            if len(rows) < wanted:
                break
        return made

    async def tools(self, source: Source) -> list[dict[str, Any]]:
        """The package's own tools as function schemas, from type hints and docstrings."""
        if not source.manifest.own_tools:
            return []
        tools: list[dict[str, Any]] = await self._value(source, {"op": "tools"})
        return tools

    async def call_tool(self, source: Source, name: str, arguments: dict[str, Any]) -> Any:
        """Call one tool in a fork of its own. Raises guest faults with the author's message."""
        return await self._value(source, {"op": "tool", "name": name, "arguments": arguments})

    def session(self, source: Source, task: dict[str, Any], *, seed: int = 0) -> AbstractAsyncContextManager[Session]:
        """A live episode: ``async with sandbox.session(source, task) as session: await session.reset()``."""
        return self.sessions.session(source, task, seed)

    @property
    def sessions(self) -> SessionPool:
        """Where sessions live: ``open`` for one that the caller closes, ``replay`` for the determinism test."""
        if self._sessions is None:
            self._sessions = SessionPool(self.pool, self.settings)
        return self._sessions

    async def check(self) -> None:
        """See that the engine answers. Raises a host fault that says what to do."""
        await self.backend.reap()

    def has_box(self, source: Source) -> bool:
        """Whether a box is open that judges for ``source``: it goes on where the engine does not answer."""
        return self._pool is not None and self._pool.has_verifier_box(source)

    async def image_digest(self, source: Source) -> str:
        """What verdicts depend on besides the wheel; built when it is not there."""
        return await self.backend.image_digest(source)

    async def _value(self, source: Source, request: dict[str, Any]) -> Any:
        dispatcher = self.pool.verifier_dispatcher(source)
        needs = source.manifest.sandbox
        seconds = needs.generate_seconds if request["op"] == "generate" else needs.timeout_seconds
        answer = await ask(dispatcher, json.dumps(request).encode(), seconds)
        return value_of(answer.outcome)

    def render_metrics(self) -> str:
        """Prometheus text."""
        return self._pool.render_metrics() if self._pool is not None else self.metrics.render()

    async def aclose(self) -> None:
        """End every box and let go of the engine. Idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._pool is not None:
            await self._pool.aclose()
        await self.backend.aclose()
        if self.access is not None:
            self.access.close()


def level_of(source: Source, isolation: Isolation | None) -> Isolation:
    """At which level calls of ``source`` run. Raises VerifierFailedError when it has no verifier of its own."""
    manifest = source.manifest
    if manifest.verifier is None or manifest.foreign_verifier is not None:
        other = f"; it names {manifest.verifier}: score with that package" if manifest.verifier else ""
        raise VerifierFailedError(f"{manifest.id} has no verifier of its own{other}")
    least = Isolation.CALL if manifest.model is not None else None  # what was asked is known for each call
    return manifest.sandbox.isolation.raised_to(least).raised_to(isolation)


async def tasks_of(
    source: Source, split: str, start: int, count: int, seed: int, generate: Generate
) -> list[dict[str, Any]]:
    """The tasks of a split: from its file, which is read here, or by its generator, which runs in a box."""
    place = source.manifest.tasks[split]
    if isinstance(place, DataFile):
        return await asyncio.to_thread(_tasks_of_file, source, split, start, count)
    rows = await generate(source, place, split=split, start=start, count=count, seed=seed)
    return [_generated_task(row, split, seed, start + offset) for offset, row in enumerate(rows)]


def _tasks_of_file(source: Source, split: str, start: int, count: int) -> list[dict[str, Any]]:
    """Blocking: rows of a split that is a file of the wheel."""
    rows = islice(contents_of(source).tasks(split), start, start + count)
    return [task.model_dump(mode="json") for task in rows]


def _generated_task(row: Any, split: str, seed: int, index: int) -> dict[str, Any]:
    """A generated row with what a task must have: an id that says where it comes from, and its split."""
    if not isinstance(row, dict) or "prompt" not in row:
        raise VerifierFailedError(
            f"generate(split={split!r}, seed={seed}, index={index}) must return a dict with a prompt"
        )
    return {"id": f"{split}-{seed}-{index}", **row, "split": split}
