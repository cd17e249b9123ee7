"""Tasks as a stream: from a file, or generated in a box."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from hub_server.catalog import actions as catalog
from hub_server.catalog.errors import TaskNotFoundError
from hub_server.errors import InvalidRequestError
from hub_server.execution.actions.targets import executable_release
from hub_server.kernel.caller import require_caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.executor import ExecutableRelease
from schemas.account import Scope
from schemas.task import Task

Row = TypeVar("Row")
GENERATED_AT_ONCE = 100  # chosen: in one call, so that the first come soon
GENERATED_AT_MOST = 10_000  # chosen, not measured


@dataclass(frozen=True)
class TaskRange:
    """Enough to stream tasks after the transaction that found them is over. ``count`` None: to the end of a file."""

    digest: str
    split: str
    start: int
    count: int | None
    seed: int
    answers: bool
    generator: ExecutableRelease | None


def task_stream(  # noqa: PLR0913 -- what a stream is, by keyword
    work: UnitOfWork,
    package_id: str,
    version: str,
    *,
    split: str,
    start: int = 0,
    limit: int | None = None,
    seed: int = 0,
    answers: bool = False,
) -> TaskRange:
    """Find what to stream. Answers go to accounts only.

    The wheel holds the answers anyway, but no model should see them by accident.
    """
    if answers:
        require_caller(work.caller, Scope.READ)
    if start < 0 or (limit is not None and limit < 1):
        raise InvalidRequestError("start must be 0 or more, and limit 1 or more.")
    row = catalog.usable_release(work, package_id, version)
    if split not in row.task_counts:
        known = ", ".join(row.task_counts) or "none"
        raise TaskNotFoundError(f"{package_id} {row.version} has no split {split!r}; it has: {known}.")
    generator = executable_release(work, row) if row.task_counts[split] is None else None
    if generator is not None:
        limit = GENERATED_AT_ONCE if limit is None else min(limit, GENERATED_AT_MOST)
    return TaskRange(row.digest, split, start, limit, seed, answers, generator)


def read_tasks(services: Services, stream: TaskRange) -> Iterator[Task]:
    """The tasks. Needs no transaction; a generated split is computed in batches while it is read."""
    if stream.generator is None:
        tasks = _range_of(services.wheels.contents(stream.digest).tasks(stream.split), stream)
    else:
        tasks = _generated(services, stream)
    for task in tasks:
        yield task if stream.answers else task.public()


def read_lines(services: Services, stream: TaskRange) -> Iterator[bytes]:
    """:func:`read_tasks` for who only writes them: lines of JSON, those of a file from memory where it has room."""
    if stream.generator is None:
        return _range_of(services.wheels.task_lines(stream.digest, stream.split, answers=stream.answers), stream)
    return (task.to_line(with_answer=stream.answers) for task in _generated(services, stream))


def _range_of(rows: Iterator[Row], stream: TaskRange) -> Iterator[Row]:
    start = min(stream.start, sys.maxsize)  # what islice can count to: any number may be asked for
    end = min(start + stream.count, sys.maxsize) if stream.count is not None else None
    return islice(rows, start, end)


def _generated(services: Services, stream: TaskRange) -> Iterator[Task]:
    assert stream.generator is not None
    left, start = stream.count or 0, stream.start
    while left > 0:
        count = min(left, GENERATED_AT_ONCE)
        rows = services.executor.tasks(stream.generator, stream.split, start=start, count=count, seed=stream.seed)
        for row in rows:
            yield Task.read({**row, "split": stream.split})
        if len(rows) < count:
            return
        left, start = left - count, start + count
