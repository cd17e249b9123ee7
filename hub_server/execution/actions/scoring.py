"""Judge responses: many as they come, or one."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing

from hub_server.errors import InvalidRequestError
from hub_server.execution.actions.targets import ScoringTarget, scoring_target
from hub_server.execution.rules import RefusedLine, what_is_missing
from hub_server.parts import Parts
from hub_server.ports.executor import ScoringCall
from hub_server.work import Work
from schemas.manifest import Isolation
from schemas.problem import ProblemCode
from schemas.verdict import ScoreLine, ScoreRequest, Verdict


def score_stream(
    parts: Parts,
    target: ScoringTarget,
    lines: Iterable[ScoreRequest | RefusedLine],
    isolation: Isolation | None = None,
) -> Iterator[ScoreLine | RefusedLine]:
    """Verdicts in completion order; every line that came in is answered exactly once.

    Needs no transaction. Closing the iterator cancels what is not judged yet.
    """
    refused: list[RefusedLine] = []
    calls = _calls(parts, target, lines, refused)
    with closing(_judged(parts, target, calls, isolation)) as judged:
        for line in judged:
            yield from _drain(refused)
            yield line
    yield from _drain(refused)


def _judged(
    parts: Parts, target: ScoringTarget, calls: Iterator[ScoringCall], isolation: Isolation | None
) -> Generator[ScoreLine]:
    for identifier, verdict in parts.executor.score(target.verifier, calls, isolation=isolation):
        yield ScoreLine(id=identifier, verdict=verdict)


def _drain(refused: list[RefusedLine]) -> Iterator[RefusedLine]:
    while refused:
        yield refused.pop(0)


def _calls(
    parts: Parts, target: ScoringTarget, lines: Iterable[ScoreRequest | RefusedLine], refused: list[RefusedLine]
) -> Iterator[ScoringCall]:
    """The lines that can be judged; what cannot goes to ``refused``."""
    tasks = _TasksById(parts, target)
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if isinstance(line, RefusedLine):
            refused.append(line)
            continue
        fault = what_is_missing(line)
        task = line.task if line.task is not None else tasks.find(line.task_id or "", line.split)
        if fault is None and line.id in seen:
            fault = f"id {line.id!r} came before: ids tell answers apart"
        if fault is not None:
            refused.append(RefusedLine(line.id, number, ProblemCode.INVALID_REQUEST, f"line {number}: {fault}"))
        elif task is None:
            message = f"line {number}: {target.package} {target.version} has no task {line.task_id!r} in a file"
            refused.append(RefusedLine(line.id, number, ProblemCode.TASK_NOT_FOUND, message))
        else:
            seen.add(line.id)
            yield ScoringCall(line.id, task, line.response, line.messages, line.state, line.files)


class _TasksById:
    """A release's tasks by id, read from its wheel when the first line asks."""

    def __init__(self, parts: Parts, target: ScoringTarget) -> None:
        self._parts = parts
        self._target = target
        self._by_split: dict[str, dict[str, dict[str, object]]] = {}

    def find(self, task_id: str, split: str | None) -> dict[str, object] | None:
        for name in [split] if split is not None else self._target.file_splits:
            if name in self._target.file_splits and task_id in self._tasks(name):
                return self._tasks(name)[task_id]
        return None

    def _tasks(self, split: str) -> dict[str, dict[str, object]]:
        if split not in self._by_split:
            tasks = self._parts.wheels.contents(self._target.digest).tasks(split)
            self._by_split[split] = {task.id: task.model_dump(mode="json") for task in tasks}
        return self._by_split[split]


def judge(work: Work, package_id: str, version: str, request: ScoreRequest) -> Verdict:
    """Judge one response. Raises ``InvalidRequestError`` or ``TaskNotFoundError`` for a request that names nothing."""
    target = scoring_target(work, package_id, version)
    for line in score_stream(work.parts, target, [request]):
        if isinstance(line, RefusedLine):
            raise InvalidRequestError(line.message.removeprefix("line 1: "))
        return line.verdict
    raise AssertionError("the executor answered nothing")  # pragma: no cover -- Executor promises each id once
