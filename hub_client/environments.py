"""What ``hub.environment()`` and ``hub.verifier()`` return: tasks, scoring, sessions."""

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any

from hub_client.errors import CheckFailedError, NotFoundError, UsageError
from hub_client.execution.runner import Runner, RunnerSession
from hub_client.releases.resolve import LoadedPackage
from hub_client.tables import RewardTable
from schemas.manifest import Isolation, Manifest, RewardDeclaration
from schemas.task import Task
from schemas.verdict import ErrorKind, ScoreRequest, Verdict

Pair = tuple[Task | dict[str, Any], "str | list[dict[str, Any]] | ScoreRequest"]
"""A task and a response. The response is text, messages, or a request that also holds a session's state."""

_GENERATE_TOGETHER = 200  # as the sandbox makes them


class Verifier:
    """A package's verifier, pinned to one release. Its boxes are closed with the hub that made it."""

    def __init__(self, package: LoadedPackage, judge: LoadedPackage, runner: Callable[[], Runner]) -> None:
        self.package = package
        self.judge = judge
        """The package whose code gives the verdicts: this one, or the one that its manifest names."""
        self._runner = runner

    @property
    def manifest(self) -> Manifest:
        """The package's ``verihub.toml``."""
        return self.package.contents.manifest

    @property
    def version(self) -> str:
        """The exact release."""
        return self.package.version

    @property
    def digest(self) -> str:
        """``sha256:…`` of the wheel."""
        return self.package.digest

    @property
    def rewards(self) -> dict[str, RewardDeclaration]:
        """The declared vector, by name, in order."""
        return self.judge.contents.manifest.rewards

    def score(self, pairs: Iterable[Pair], *, isolation: Isolation | None = None) -> RewardTable:
        """Judge all ``pairs``. The rows of the result are in their order."""
        requests = [_request(index, pair) for index, pair in enumerate(pairs)]
        found = dict(self._runner().score(self.judge, requests, isolation))
        names = list(self.rewards)
        lost = Verdict.unjudged(names, ErrorKind.HOST, "the sandbox ended without this verdict")
        return RewardTable(names, [found.get(request.id, lost) for request in requests])

    async def score_stream(
        self, pairs: Iterable[Pair] | AsyncIterable[Pair], *, isolation: Isolation | None = None
    ) -> AsyncIterator[tuple[int, Verdict]]:
        """Yield ``(index, verdict)`` in completion order; a pair is judged as soon as it arrives."""
        runner = await asyncio.to_thread(self._runner)
        async for request_id, verdict in runner.score_stream(self.judge, _requests(pairs), isolation):
            yield int(request_id), verdict

    def score_call(self, request: ScoreRequest) -> Verdict:
        """Judge one item that is more than a response: messages, state or files."""
        return self.score_requests([request])[0]

    def score_requests(self, requests: Iterable[ScoreRequest], *, within_seconds: float | None = None) -> list[Verdict]:
        """Judge requests with messages, state or files. Their ids must differ. Verdicts come back in the same order.

        Raises TimeoutError where some are still not judged after ``within_seconds``; the call that runs then is waited
        for, which takes its own time limit at most.
        """
        asked = list(requests)
        verdicts = self._runner().score(self.judge, asked)
        found = dict(verdicts if within_seconds is None else _until(time.monotonic() + within_seconds, verdicts))
        lost = Verdict.unjudged(list(self.rewards), ErrorKind.HOST, "the sandbox ended without this verdict")
        return [found.get(request.id, lost) for request in asked]

    def image_digest(self) -> str:
        """Digest of the image in which the verifier runs. Verdicts depend on it as well as on the wheel."""
        return self._runner().image_digest(self.judge)

    def close(self) -> None:
        """Does nothing, because the hub closes its boxes. It exists so that ``with closing(env)`` works."""


class Environment(Verifier):
    """Tasks with a verifier, and optionally multi-turn sessions and tools."""

    tool_packages: tuple[LoadedPackage, ...] = ()
    """The packages that ``tools`` refers to, loaded."""

    def tasks(
        self, split: str = "train", *, seed: int = 0, start: int = 0, limit: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """Rows of a split, as dicts. A generated split is endless: give ``limit``, or stop when you have enough."""
        source = self.manifest.tasks.get(split)
        if source is None:
            known = ", ".join(self.manifest.tasks) or "none"
            raise NotFoundError(f"{self.package.reference} has no split {split!r}; its splits are {known}")
        if self.is_generated(split):
            return self._generated(split, seed, start, limit)
        return self._stored(split, start, limit)

    def task_list(
        self, split: str = "train", *, seed: int = 0, start: int = 0, limit: int | None = None
    ) -> list[dict[str, Any]]:
        """:meth:`tasks` as a list. Raises :class:`UsageError` for a generated split without ``limit``."""
        if limit is None and self.is_generated(split):
            raise UsageError(
                f"{self.package.reference} generates the tasks of {split!r} without end: say how many with limit=1000"
            )
        return list(self.tasks(split, seed=seed, start=start, limit=limit))

    def is_generated(self, split: str) -> bool:
        """Whether a generator makes the tasks of ``split``, in any number."""
        return split in self.manifest.generated_splits

    def find_task(self, task_id: str) -> dict[str, Any] | None:
        """The stored task of that id, in any split, or None."""
        stored = self.manifest.stored_splits
        rows = (row for split in stored for row in self._stored(split, 0, None))
        return next((row for row in rows if row["id"] == task_id), None)

    @asynccontextmanager
    async def session(self, task: Task | dict[str, Any], seed: int = 0) -> AsyncIterator["EnvironmentSession"]:
        """A live episode in a box of its own: ``async with env.session(task) as s: await s.reset()``."""
        if self.manifest.session is None:
            raise CheckFailedError(f"{self.package.reference} has no session: it is a single-turn environment")
        runner = await asyncio.to_thread(self._runner)
        manager = runner.session(self.package, _row(task), seed=seed)
        live = await asyncio.to_thread(manager.__enter__)
        try:
            yield EnvironmentSession(live)
        finally:
            await asyncio.to_thread(manager.__exit__, None, None, None)

    def _stored(self, split: str, start: int, limit: int | None) -> Iterator[dict[str, Any]]:
        for index, task in enumerate(self.package.contents.tasks(split)):
            if limit is not None and index >= start + limit:
                return
            if index >= start:
                yield task.model_dump(mode="json")

    def _generated(self, split: str, seed: int, start: int, limit: int | None) -> Iterator[dict[str, Any]]:
        made = 0
        while limit is None or made < limit:
            count = _GENERATE_TOGETHER if limit is None else min(_GENERATE_TOGETHER, limit - made)
            rows = self._runner().tasks(self.package, split, start=start + made, count=count, seed=seed)
            yield from rows
            made += len(rows)
            if len(rows) < count:
                return


class EnvironmentSession:
    """A live episode. ``branch`` copies it, memory and files; ``undo`` takes the last step back."""

    def __init__(self, live: RunnerSession) -> None:
        self._live = live

    async def reset(self) -> dict[str, Any]:
        """Begin: ``{"messages": […], "tools": […]}``."""
        return await asyncio.to_thread(self._live.reset)

    async def step(self, message: dict[str, Any]) -> dict[str, Any]:
        """The model's message in, ``{"messages", "done", "rewards"?}`` out."""
        return await asyncio.to_thread(self._live.step, message)

    async def state(self) -> dict[str, Any]:
        """What the verifier may see."""
        return await asyncio.to_thread(self._live.state)

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call one of the environment's tools inside the session."""
        return await asyncio.to_thread(self._live.call_tool, name, arguments)

    async def branch(self) -> "EnvironmentSession":
        """A copy of the episode that continues independently."""
        return EnvironmentSession(await asyncio.to_thread(self._live.branch))

    async def undo(self) -> None:
        """Take the last step back."""
        await asyncio.to_thread(self._live.undo)

    async def close(self) -> None:
        """End it."""
        await asyncio.to_thread(self._live.close)


def _until(deadline: float, verdicts: Iterator[tuple[str, Verdict]]) -> Iterator[tuple[str, Verdict]]:
    for verdict in verdicts:
        if time.monotonic() > deadline:
            raise TimeoutError
        yield verdict


def _row(task: Task | dict[str, Any]) -> dict[str, Any]:
    return task.model_dump(mode="json") if isinstance(task, Task) else task


def _request(index: int, pair: Pair) -> ScoreRequest:
    """What is judged. Raises :class:`UsageError` for what is no pair of a task and a response."""
    try:
        task, response = pair
    except (TypeError, ValueError):
        raise UsageError(f"pair {index} is {_shown(pair)}: give (task, response)") from None
    row = _row(task)
    if not isinstance(row, dict):
        raise UsageError(
            f"the task of pair {index} is {_shown(row)}: give a task, or a dict with what the verifier reads"
        )
    if not isinstance(response, str | list | ScoreRequest | None):
        raise UsageError(f"the response of pair {index} is {_shown(response)}: give a text, or a list of messages")
    if isinstance(response, ScoreRequest):
        return response.model_copy(update={"id": str(index), "task": row})
    if isinstance(response, str):
        return ScoreRequest(id=str(index), task=row, response=response)
    return ScoreRequest(id=str(index), task=row, messages=response)


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else f'{text[:60]}…'}"


async def _requests(pairs: Iterable[Pair] | AsyncIterable[Pair]) -> AsyncIterator[ScoreRequest]:
    index = 0
    if isinstance(pairs, AsyncIterable):
        async for pair in pairs:
            yield _request(index, pair)
            index += 1
        return
    for pair in pairs:
        yield _request(index, pair)
        index += 1
