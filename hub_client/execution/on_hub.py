"""Running packages on the hub, where this machine has no sandbox."""

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

from pydantic import ValidationError

from hub_client.errors import HubUnreachableError, SandboxMissingError
from hub_client.execution.runner import RunnerSession
from hub_client.releases.resolve import LoadedPackage, loaded
from hub_client.transport.connection import AsyncConnection, HubConnection
from hub_client.transport.requests import audits, streams
from sandbox.streams import Channel, produced
from schemas.evidence.audit import AuditReport
from schemas.evidence.audit_plan import AuditPlan, Progress
from schemas.manifest import Isolation
from schemas.task import Task
from schemas.verdict import ErrorKind, ScoreRequest, Verdict
from schemas.wording import counted

_LINES_A_REQUEST = 256
"""Lines in one request. Each request costs a hub some milliseconds, whatever its lines; if a request is cut off, all
its calls are masked.
"""
_EPISODES = "hub_client.execution.hub_sessions"  # Imports a WebSocket library that only episodes need.
_REQUESTS_IN_FLIGHT = 8  # half of the streams that a hub gives one account (16)
_START_SECONDS = 900.0
"""Seconds that the hub may need to open a box, build its image, or reach our place in the queue."""
_TASK_SECONDS = 10.0  # chosen: for each task that the hub makes
_UNREAD = 512  # chosen, not measured

AsyncConnectionFactory = Callable[[], AsyncConnection]


class HubRunner:
    """Sends pairs to the hub's scoring stream. A pair without an answer gets null with kind ``host``, never 0."""

    place = "hub"
    most_sessions = 8  # what a hub gives one account, unless its operator chose another number

    def __init__(self, connection: HubConnection, make_async: AsyncConnectionFactory) -> None:
        self._connection = connection
        self._make_async = make_async

    def score(
        self, package: LoadedPackage, calls: Iterable[ScoreRequest], isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """Verdicts request by request. ``isolation`` is ignored: the hub decides it."""
        del isolation
        pending = iter(calls)
        while batch := list(islice(pending, _LINES_A_REQUEST)):
            for together, body in streams.score_bodies(batch):
                yield from self._judged(package, together, body)

    def _judged(
        self, package: LoadedPackage, together: Sequence[ScoreRequest], body: bytes
    ) -> Iterator[tuple[str, Verdict]]:
        """One request."""
        path, seconds = streams.score_path(*_published(package)), _score_seconds(package, len(together))
        waiting = {request.id for request in together}
        with self._connection.lines("POST", path, content=body, seconds=seconds) as lines:
            for data in lines:
                line = streams.read_score_line(data, package.contents.manifest.rewards)
                if line is not None and line.id in waiting:
                    waiting.remove(line.id)
                    yield line.id, line.verdict
        yield from _unanswered(package, waiting)

    async def score_stream(
        self, package: LoadedPackage, calls: AsyncIterator[ScoreRequest], isolation: Isolation | None = None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        """Verdicts in completion order.

        Pairs that arrive together are sent together; a few requests are open at a time.
        """
        del isolation
        _published(package)
        connection = self._make_async()

        async def send_all(verdicts: Channel[tuple[str, Verdict]]) -> None:
            arrived: Channel[ScoreRequest] = Channel(_LINES_A_REQUEST * _REQUESTS_IN_FLIGHT)
            async with asyncio.TaskGroup() as group:
                group.create_task(arrived.fill(calls))
                for _ in range(_REQUESTS_IN_FLIGHT):
                    group.create_task(_send_arrived(connection, package, arrived, verdicts))

        try:
            async for one in produced(send_all, lambda: Channel(_UNREAD)):
                yield one
        finally:
            await connection.aclose()

    def tasks(self, package: LoadedPackage, split: str, *, start: int, count: int, seed: int) -> list[dict[str, Any]]:
        """Tasks that the hub generates, with answers only for those who may see them.

        Raises :class:`HubUnreachableError` when the stream was cut or refused, because a shorter list of tasks would
        not be noticed.
        """
        path = streams.tasks_path(*_published(package))
        params: dict[str, str | int] = {"split": split, "start": start, "limit": count, "seed": seed, "answers": "true"}
        seconds = _START_SECONDS + _TASK_SECONDS * count
        with self._connection.lines("GET", path, params=params, seconds=seconds) as lines:
            return _read_tasks(lines, f"{package.reference}, {split}", count)

    def tools(self, package: LoadedPackage) -> list[dict[str, Any]]:
        """Not possible on a hub: function schemas come from running the package, which needs a sandbox here."""
        raise SandboxMissingError(
            f"the tools of {loaded(package).package} are described by running it, which needs a sandbox on this "
            "machine: start Docker (see `verihub doctor`)"
        )

    def call_tool(self, package: LoadedPackage, name: str, arguments: dict[str, Any]) -> Any:
        """Not possible on a hub: tools run in a sandbox on this machine."""
        del name, arguments
        self.tools(package)

    def session(
        self, package: LoadedPackage, task: dict[str, Any], *, seed: int
    ) -> AbstractContextManager[RunnerSession]:
        """An episode over a WebSocket."""
        address, headers = self._connection.socket_address(streams.session_path(*_published(package)))
        episodes = importlib.import_module(_EPISODES)
        found: AbstractContextManager[RunnerSession] = episodes.open_episode(
            address, headers, task, seed, self._connection.timeout_seconds, package.contents.manifest.rewards
        )
        return found

    def audit(self, plan: AuditPlan[LoadedPackage], progress: Progress) -> AuditReport:
        """The newest finished audit of the release."""
        package, version = _published(plan.verifier)
        for record in self._connection.send(audits.list_audits(package, version)).items:
            progress(record.done_cases, record.total_cases)
            if record.report is not None:
                return record.report
        raise SandboxMissingError(
            f"the hub has no finished audit of {package} {version}, and there is no sandbox here to make one: "
            "start Docker (see `verihub doctor`)"
        )

    def image_digest(self, package: LoadedPackage) -> str:
        """The image digest in the release's newest audit; empty without an audit."""
        name, version = _published(package)
        records = self._connection.send(audits.list_audits(name, version)).items
        return next((record.report.image_digest for record in records if record.report), "")

    def close(self) -> None:
        """Does nothing: no boxes are held here."""


def _published(package: LoadedPackage) -> tuple[str, str]:
    if loaded(package).release is None:
        raise SandboxMissingError(
            f"{package.package} is a folder, which only this machine can run: start Docker (see `verihub doctor`), "
            "or publish it first"
        )
    return package.package, package.version


def _unanswered(package: LoadedPackage, ids: Iterable[str]) -> Iterator[tuple[str, Verdict]]:
    names = list(package.contents.manifest.rewards)
    for request_id in sorted(ids):
        yield request_id, Verdict.unjudged(names, ErrorKind.HOST, "the hub ended the stream without this verdict")


def _score_seconds(package: LoadedPackage, count: int) -> float:
    """Seconds that the hub may take for ``count`` calls, one after the other."""
    return _START_SECONDS + count * package.contents.manifest.sandbox.timeout_seconds


async def _send_arrived(
    connection: AsyncConnection,
    package: LoadedPackage,
    arrived: Channel[ScoreRequest],
    verdicts: Channel[tuple[str, Verdict]],
) -> None:
    """One request after another, each with the calls that have arrived by then."""
    while batch := await arrived.take(_LINES_A_REQUEST):
        for together, body in streams.score_bodies(batch):
            await _send(connection, package, together, body, verdicts)


async def _send(
    connection: AsyncConnection,
    package: LoadedPackage,
    together: Sequence[ScoreRequest],
    body: bytes,
    verdicts: Channel[tuple[str, Verdict]],
) -> None:
    path, declared = streams.score_path(*_published(package)), package.contents.manifest.rewards
    waiting, seconds = {request.id for request in together}, _score_seconds(package, len(together))
    async with connection.lines("POST", path, content=body, seconds=seconds) as lines:
        async for data in lines:
            line = streams.read_score_line(data, declared)
            if line is not None and line.id in waiting:
                waiting.remove(line.id)
                await verdicts.send((line.id, line.verdict))
    for unanswered in _unanswered(package, waiting):
        await verdicts.send(unanswered)


def _read_tasks(lines: Iterator[dict[str, Any]], what: str, count: int) -> list[dict[str, Any]]:
    """Reads at most ``count`` tasks, each once, and the summary line that confirms that none is missing."""
    rows: dict[str, dict[str, Any]] = {}
    summary: dict[str, Any] | None = None
    for line in lines:
        if "problem" in line:
            raise HubUnreachableError(f"the hub ended the tasks of {what}: {streams.problem_text(line['problem'])}")
        if isinstance(line.get("summary"), dict):
            summary = line["summary"]
        elif "prompt" in line:  # Any other line is a heartbeat.
            task = _read_task(line, what)
            if task.id in rows:
                raise HubUnreachableError(f"the hub sent the task {task.id!r} of {what} twice")
            if len(rows) == count:
                raise HubUnreachableError(
                    f"the hub sent more than the {counted(count, 'task')} of {what} that were asked for"
                )
            rows[task.id] = task.model_dump(mode="json")
    if summary is None:
        raise HubUnreachableError(f"the hub's tasks of {what} broke off after {len(rows)}: try again")
    if summary.get("count") != len(rows):
        raise HubUnreachableError(f"the hub counts {summary.get('count')!r} tasks of {what}, but {len(rows)} came")
    return list(rows.values())


def _read_task(line: dict[str, Any], what: str) -> Task:
    try:
        return Task.read(line)
    except ValidationError as error:
        first = error.errors()[0]["msg"]
        raise HubUnreachableError(f"the hub sent a row of {what} that is no task: {first}") from None
