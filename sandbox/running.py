"""Sandbox: the front door. One a process; asyncio; owns its pools and closes them."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import replace
from itertools import islice
from types import TracebackType
from typing import Any, Self

from sandbox.contents import contents_of
from sandbox.errors import SandboxError, VerifierFailedError
from sandbox.interface import Backend, BoxInfo, Source
from sandbox.metrics import Metrics
from sandbox.pool import Pool
from sandbox.replaying import Replays
from sandbox.scoring import Calls, Judged, ScoringStream
from sandbox.sessions import Session, SessionHouse
from sandbox.settings import SandboxSettings
from sandbox.solutions import ask
from sandbox.verdicts import value_of
from schemas.manifest import Isolation
from schemas.verdict import Verdict

_GENERATE_TOGETHER = 200


class Sandbox:
    """Runs packages that nobody here trusts, over one backend.

    Use as an async context manager, within one event loop: leaving it ends every box.
    """

    def __init__(self, backend: Backend, settings: SandboxSettings | None = None) -> None:
        self.settings = settings or SandboxSettings()
        self.backend = backend
        self.metrics = Metrics()
        self._pool: Pool | None = None
        self._replays: dict[str, Replays] = {}
        self._sessions: SessionHouse | None = None
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def pool(self) -> Pool:
        """The boxes; made at first use, inside the running loop."""
        if self._is_closed:
            raise SandboxError("this sandbox is closed: make a new one")
        if self._pool is None:
            self._pool = Pool(self.backend, self.settings, self.metrics)
        return self._pool

    def score(
        self,
        source: Source,
        calls: Calls,
        *,
        isolation: Isolation | None = None,
    ) -> AsyncIterator[tuple[str, Verdict]]:
        """Yield ``(id, verdict)`` for every call, in completion order; ids in = ids out.

        ``isolation`` may raise the package's own level, never lower it. What goes wrong is in the verdict: this raises
        only for a package without a verifier of its own (VerifierFailedError) and for calls that are not JSON.
        """
        return self._score(source, calls, isolation)

    async def _score(
        self, source: Source, calls: Calls, isolation: Isolation | None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        async with aclosing(self.judge(source, calls, isolation=isolation)) as judged:
            async for one in judged:
                yield one.id, one.verdict

    def judge(
        self,
        source: Source,
        calls: Calls,
        *,
        isolation: Isolation | None = None,
    ) -> AsyncGenerator[Judged]:
        """:meth:`score`, with the milliseconds that the package's code took."""
        manifest = source.manifest
        level = level_of(source, isolation)
        stream = ScoringStream(
            self.pool.verifier_lot(source, single_use=level is Isolation.BOX),
            {name: reward.range for name, reward in manifest.rewards.items()},
            isolation=level,
            timeout_seconds=manifest.sandbox.timeout_seconds,
            replays=self.replays(source),
            replay_fraction=self.settings.replay_fraction,
        )
        return stream.run(calls)

    def replays(self, source: Source) -> Replays:
        """What replaying a sample one level up has found for this release."""
        return self._replays.setdefault(source.digest, Replays())

    async def warm(self, source: Source, boxes: int = 1) -> BoxInfo:
        """Have boxes ready. Raises what keeps the package from being loaded."""
        ready = await self.pool.verifier_lot(source).ensure(boxes)
        return replace(ready[0].info, image_digest=await self.image_digest(source))

    async def tasks(
        self, source: Source, split: str, *, start: int = 0, count: int = 100, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Rows ``start`` to ``start + count`` of a split. A file is read here; a generator runs in the box.

        Raises KeyError for an unknown split, guest faults for a generator that fails.
        """
        place = source.manifest.tasks[split]
        if ":" not in place:
            return await asyncio.to_thread(tasks_of_file, source, split, start, count)
        rows = await self.generate(source, place, split=split, start=start, count=count, seed=seed)
        return [generated_task(row, split, seed, start + offset) for offset, row in enumerate(rows)]

    async def generate(
        self, source: Source, entry: str, *, split: str, count: int, start: int = 0, seed: int = 0
    ) -> list[Any]:
        """What the generator ``entry`` makes for ``start`` to ``start + count``: tasks, or a package's own probes."""
        made: list[Any] = []
        while len(made) < count:
            first, wanted = start + len(made), min(_GENERATE_TOGETHER, count - len(made))
            request = {"op": "generate", "entry": entry, "split": split, "seed": seed, "start": first, "count": wanted}
            rows = await self._value(source, request)
            made += rows
            if len(rows) < wanted:
                break
        return made

    async def tools(self, source: Source) -> list[dict[str, Any]]:
        """The package's own tools as function schemas, from type hints and docstrings."""
        if not any(":" in tool and "/" not in tool for tool in source.manifest.tools):
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
    def sessions(self) -> SessionHouse:
        """Where sessions live: ``open`` for one that the caller closes, ``replay`` for the determinism test."""
        if self._sessions is None:
            self._sessions = SessionHouse(self.pool, self.settings)
        return self._sessions

    async def check(self) -> None:
        """See that the engine answers. Raises a host fault that says what to do."""
        await self.backend.reap()

    async def image_digest(self, source: Source) -> str:
        """What verdicts depend on besides the wheel; built when it is not there."""
        return await self.backend.image_digest(source)

    async def _value(self, source: Source, request: dict[str, Any]) -> Any:
        lot = self.pool.verifier_lot(source)
        outcome, _ = await ask(lot, json.dumps(request).encode(), source.manifest.sandbox.timeout_seconds)
        return value_of(outcome)

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


def level_of(source: Source, isolation: Isolation | None) -> Isolation:
    """At which level calls of ``source`` run. Raises VerifierFailedError when it has no verifier of its own."""
    manifest = source.manifest
    if manifest.verifier is None or manifest.foreign_verifier is not None:
        other = f"; it names {manifest.verifier}: score with that package" if manifest.verifier else ""
        raise VerifierFailedError(f"{manifest.id} has no verifier of its own{other}")
    return manifest.sandbox.isolation.raised_to(isolation)


def tasks_of_file(source: Source, split: str, start: int, count: int) -> list[dict[str, Any]]:
    """Blocking: rows of a split that is a file of the wheel."""
    rows = islice(contents_of(source).tasks(split), start, start + count)
    return [task.model_dump(mode="json") for task in rows]


def generated_task(row: Any, split: str, seed: int, index: int) -> dict[str, Any]:
    """A generated row with what a task must have: an id that says where it comes from, and its split."""
    if not isinstance(row, dict) or "prompt" not in row:
        raise VerifierFailedError(
            f"generate(split={split!r}, seed={seed}, index={index}) must return a dict with a prompt"
        )
    return {"id": f"{split}-{seed}-{index}", **row, "split": split}
