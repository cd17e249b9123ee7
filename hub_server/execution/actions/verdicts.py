"""Judge responses: many as they come, or one."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import aclosing, closing
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import anyio

from hub_server.catalog import actions as catalog
from hub_server.errors import InvalidRequestError
from hub_server.execution.actions.targets import ScoringTarget
from hub_server.execution.rules import RefusedLine, read_score_line, what_is_missing
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.manifest import Isolation
from schemas.problem import ProblemCode
from schemas.verdict import ScoreLine, ScoreRequest, Verdict

Result = TypeVar("Result")


class InThread(Protocol):
    """Runs a blocking function in one of the threads that have a slot."""

    def __call__(self, function: Callable[[], Result]) -> Awaitable[Result]: ...


def score_stream(
    services: Services,
    target: ScoringTarget,
    lines: Iterable[ScoreRequest | RefusedLine],
    isolation: Isolation | None = None,
) -> Generator[ScoreLine | RefusedLine]:
    """Verdicts in completion order; every line that came in is answered exactly once.

    Needs no transaction. Closing the iterator cancels what is not judged yet.
    """
    checked = _ScoringLines(services, target)
    try:
        with closing(_judged(services, target, checked.accepted(lines), isolation)) as judged:
            for line in judged:
                yield from checked.take_refused()
                yield line
        yield from checked.take_refused()
    finally:
        _record_replays(services, target)


async def judge_within(
    services: Services, target: ScoringTarget, request: ScoreRequest, seconds: float
) -> ScoreLine | RefusedLine | None:
    """:func:`score_stream` for one request; None when ``seconds`` are over. The sandbox then stops judging it."""
    lines = _ScoringLines(services, target)
    accepted = await anyio.to_thread.run_sync(lambda: list(lines.accepted([request])))
    if not accepted:
        return lines.take_refused()[0]

    async def calls() -> AsyncGenerator[ScoreRequest]:
        yield accepted[0]

    try:
        with anyio.move_on_after(seconds):
            async with aclosing(services.executor.score_lists(target.verifier, calls())) as judged:
                async for together in judged:
                    return ScoreLine(id=together[0].id, verdict=together[0].verdict)
        return None
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_record_replays, services, target)


def _record_replays(services: Services, target: ScoringTarget) -> None:
    """Store what the sandbox's replays have found. Most streams are too short to have any."""
    found = services.executor.take_replays(target.verifier)
    if found.compared:
        with services.database.writing() as session:
            catalog.record_replays(
                UnitOfWork(session, services), target.verifier.digest, found.compared, found.mismatches
            )


class AnsweredLines(NamedTuple):
    """Answers that came together, and how many bytes the box's replies had."""

    lines: list[ScoreLine | RefusedLine]
    byte_count: int


async def judged_lists(
    services: Services,
    target: ScoringTarget,
    body: AsyncIterator[list[bytes]],
    isolation: Isolation | None,
    in_thread: InThread,
) -> AsyncGenerator[AnsweredLines]:
    """:func:`score_stream` for asyncio, from the body's raw lines. ``in_thread`` runs what blocks or takes long."""
    lines = _ScoringLines(services, target)
    line_bytes = services.settings.limits.score_line_bytes

    def read(raws: list[bytes]) -> list[ScoreRequest]:
        known = (read_score_line(raw, number, line_bytes) for number, raw in enumerate(raws, start=lines.count + 1))
        return list(lines.accepted(known))

    async def calls() -> AsyncGenerator[ScoreRequest]:
        async for raws in body:
            for request in await in_thread(partial(read, raws)):
                yield request

    try:
        async with aclosing(services.executor.score_lists(target.verifier, calls(), isolation=isolation)) as judged:
            async for together in judged:
                answers = [ScoreLine(id=one.id, verdict=one.verdict) for one in together]
                yield AnsweredLines([*lines.take_refused(), *answers], sum(one.byte_count for one in together))
        if refused := lines.take_refused():
            yield AnsweredLines([*refused], 0)
    finally:
        with anyio.CancelScope(shield=True):
            await in_thread(partial(_record_replays, services, target))


def _judged(
    services: Services, target: ScoringTarget, calls: Iterator[ScoreRequest], isolation: Isolation | None
) -> Generator[ScoreLine]:
    for identifier, verdict in services.executor.score(target.verifier, calls, isolation=isolation):
        yield ScoreLine(id=identifier, verdict=verdict)


class _ScoringLines:
    """Which lines of one stream can be judged, and which are refused and why."""

    def __init__(self, services: Services, target: ScoringTarget) -> None:
        self.count = 0
        self._services = services
        self._target = target
        self._refused: list[RefusedLine] = []
        self._seen: set[str] = set()

    def accepted(self, lines: Iterable[ScoreRequest | RefusedLine]) -> Iterator[ScoreRequest]:
        """The lines that can be judged, with their tasks. Blocking where a task has to be found."""
        for line in lines:
            self.count += 1
            request = line if isinstance(line, RefusedLine) else self._checked(line)
            if isinstance(request, RefusedLine):
                self._refused.append(request)
            else:
                self._seen.add(request.id)
                yield request

    def take_refused(self) -> list[RefusedLine]:
        """Those that were refused since this was last asked."""
        refused, self._refused = self._refused, []
        return refused

    def _checked(self, line: ScoreRequest) -> ScoreRequest | RefusedLine:
        fault = what_is_missing(line)
        if fault is None and line.id in self._seen:
            fault = f"id {line.id!r} came before: ids tell answers apart"
        if fault is not None:
            return self._refusal(line, ProblemCode.INVALID_REQUEST, fault)
        if line.task is not None:
            return line
        task = _find_task(self._services, self._target, line.task_id or "", line.split)
        if task is None:
            target = self._target
            missing = f"{target.package} {target.version} has no task {line.task_id!r} in a file"
            return self._refusal(line, ProblemCode.TASK_NOT_FOUND, missing)
        return line.model_copy(update={"task": task})

    def _refusal(self, line: ScoreRequest, code: ProblemCode, reason: str) -> RefusedLine:
        return RefusedLine(line.id, self.count, code, f"line {self.count}: {reason}")


def _find_task(services: Services, target: ScoringTarget, task_id: str, split: str | None) -> dict[str, Any] | None:
    """A task of the release by its id, with answer, from the split that is named or from any file."""
    for name in [split] if split is not None else target.file_splits:
        if name in target.file_splits:
            task = services.wheels.tasks_by_id(target.digest, name).get(task_id)
            if task is not None:
                return task.model_dump(mode="json")
    return None


def judge_one(services: Services, target: ScoringTarget, request: ScoreRequest) -> Verdict:
    """Judge one response, outside any transaction: a box may take seconds to start, and code may take long.

    Raises ``InvalidRequestError`` for a request that cannot be judged.
    """
    for line in score_stream(services, target, [request]):
        if isinstance(line, RefusedLine):
            raise InvalidRequestError(line.message.removeprefix("line 1: "))
        return line.verdict
    raise AssertionError("the executor answered nothing")  # pragma: no cover -- Executor promises each id once
