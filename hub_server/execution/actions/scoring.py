"""Judge responses: many as they come, or one."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any

from hub_server.catalog import actions as catalog
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
    try:
        with closing(_judged(parts, target, calls, isolation)) as judged:
            for line in judged:
                yield from _drain(refused)
                yield line
        yield from _drain(refused)
    finally:
        _record_replays(parts, target)


def _record_replays(parts: Parts, target: ScoringTarget) -> None:
    """Keep what the sandbox's own sampling has found; most streams are too short to have any."""
    found = parts.executor.take_replays(target.verifier)
    if found.compared:
        with parts.database.writing() as session:
            catalog.record_replays(Work(session, parts), target.verifier.digest, found.compared, found.mismatches)


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
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if isinstance(line, RefusedLine):
            refused.append(line)
            continue
        fault = what_is_missing(line)
        task = line.task or _find_task(parts, target, line.task_id or "", line.split)
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


def _find_task(parts: Parts, target: ScoringTarget, task_id: str, split: str | None) -> dict[str, Any] | None:
    """A task of the release by its id, with answer, from the split that is named or from any file."""
    for name in [split] if split is not None else target.file_splits:
        if name in target.file_splits:
            task = parts.wheels.tasks_by_id(target.digest, name).get(task_id)
            if task is not None:
                return task.model_dump(mode="json")
    return None


def judge(work: Work, package_id: str, version: str, request: ScoreRequest) -> Verdict:
    """Judge one response. Raises ``InvalidRequestError`` for a request that cannot be judged."""
    return judge_one(work.parts, scoring_target(work, package_id, version), request)


def judge_one(parts: Parts, target: ScoringTarget, request: ScoreRequest) -> Verdict:
    """:func:`judge` after the transaction is over: a box may take seconds to start."""
    for line in score_stream(parts, target, [request]):
        if isinstance(line, RefusedLine):
            raise InvalidRequestError(line.message.removeprefix("line 1: "))
        return line.verdict
    raise AssertionError("the executor answered nothing")  # pragma: no cover -- Executor promises each id once
