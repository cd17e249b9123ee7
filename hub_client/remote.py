"""Running packages on the hub, where this machine has no sandbox."""

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

from hub_client.connection import AsyncConnection, Connection
from hub_client.errors import SandboxMissingError
from hub_client.requests import audits, scoring
from hub_client.resolving import LoadedPackage
from hub_client.runner import AuditPlan, Progress, RunnerSession
from schemas.audit import AuditReport
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, ScoreRequest, Verdict

_LINES_A_REQUEST = 64
_EPISODES = "hub_client.remote_sessions"  # brings a WebSocket library that only episodes need
_REQUESTS_IN_FLIGHT = 8


AsyncConnectionFactory = Callable[[], AsyncConnection]


class HubRunner:
    """Sends pairs to the hub's scoring stream. What the hub never answered is null with kind ``host``, never 0."""

    place = "hub"

    def __init__(self, connection: Connection, make_async: AsyncConnectionFactory) -> None:
        self._connection = connection
        self._make_async = make_async

    def score(
        self, package: LoadedPackage, calls: Iterable[ScoreRequest], isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """Verdicts request by request. ``isolation`` is the hub's to choose."""
        del isolation
        path = scoring.score_path(*_published(package))
        pending = iter(calls)
        while batch := list(islice(pending, _LINES_A_REQUEST)):
            waiting = {request.id for request in batch}
            with self._connection.lines("POST", path, content=scoring.score_body(batch)) as lines:
                for line in map(scoring.read_score_line, lines):
                    if line is not None and line.id in waiting:
                        waiting.remove(line.id)
                        yield line.id, line.verdict
            yield from _unanswered(package, waiting)

    async def score_stream(
        self, package: LoadedPackage, calls: AsyncIterator[ScoreRequest], isolation: Isolation | None = None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        """Verdicts in completion order; what has arrived together is sent together, a few requests at a time."""
        del isolation
        path = scoring.score_path(*_published(package))
        connection = self._make_async()
        batches = _Batches(connection, path, package)
        try:
            async for one in batches.run(calls):
                yield one
        finally:
            await batches.close()
            await connection.aclose()

    def tasks(self, package: LoadedPackage, split: str, *, start: int, count: int, seed: int) -> list[dict[str, Any]]:
        """Rows that the hub generates. Answers come along only for those who may see them."""
        path = scoring.tasks_path(*_published(package))
        params: dict[str, str | int] = {"split": split, "start": start, "limit": count, "seed": seed, "answers": "true"}
        with self._connection.lines("GET", path, params=params) as lines:
            return [line for line in lines if "prompt" in line]

    def tools(self, package: LoadedPackage) -> list[dict[str, Any]]:
        """Schemas come from running the package, which needs a sandbox here."""
        raise SandboxMissingError(
            f"the tools of {package.package} are described by running it, which needs a sandbox on this machine: "
            "start Docker (see `verihub doctor`)"
        )

    def call_tool(self, package: LoadedPackage, name: str, arguments: dict[str, Any]) -> Any:
        """Tools run in a sandbox here."""
        del name, arguments
        self.tools(package)

    def session(
        self, package: LoadedPackage, task: dict[str, Any], *, seed: int
    ) -> AbstractContextManager[RunnerSession]:
        """An episode over a WebSocket."""
        address, headers = self._connection.socket_address(scoring.session_path(*_published(package)))
        episodes = importlib.import_module(_EPISODES)
        found: AbstractContextManager[RunnerSession] = episodes.open_episode(
            address, headers, task, seed, self._connection.timeout_seconds
        )
        return found

    def audit(self, plan: AuditPlan, progress: Progress) -> AuditReport:
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
        """Taken from the release's newest audit; empty without one."""
        name, version = _published(package)
        records = self._connection.send(audits.list_audits(name, version)).items
        return next((record.report.image_digest for record in records if record.report), "")

    def close(self) -> None:
        """Nothing is held here."""


def _published(package: LoadedPackage) -> tuple[str, str]:
    if package.release is None:
        raise SandboxMissingError(
            f"{package.package} is a folder, which only this machine can run: start Docker (see `verihub doctor`), "
            "or publish it first"
        )
    return package.package, package.version


def _unanswered(package: LoadedPackage, ids: Iterable[str]) -> Iterator[tuple[str, Verdict]]:
    names = list(package.contents.manifest.rewards)
    for request_id in sorted(ids):
        yield request_id, Verdict.unjudged(names, ErrorKind.HOST, "the hub ended the stream without this verdict")


class _Batches:
    """Requests in flight and the verdicts that they bring."""

    def __init__(self, connection: AsyncConnection, path: str, package: LoadedPackage) -> None:
        self._connection = connection
        self._path = path
        self._package = package
        self._verdicts: asyncio.Queue[tuple[str, Verdict] | BaseException | None] = asyncio.Queue()
        self._slots = asyncio.Semaphore(_REQUESTS_IN_FLIGHT)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, calls: AsyncIterator[ScoreRequest]) -> AsyncIterator[tuple[str, Verdict]]:
        """Yield every verdict, then end."""
        self._start(self._read(calls))
        while (one := await self._verdicts.get()) is not None:
            if isinstance(one, BaseException):
                raise one
            yield one

    async def close(self) -> None:
        """Cancel what is in flight."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _read(self, calls: AsyncIterator[ScoreRequest]) -> None:
        """Gather what is there already into one request; wait for a slot when too many are out."""
        arrived: asyncio.Queue[ScoreRequest | None] = asyncio.Queue(maxsize=_LINES_A_REQUEST * _REQUESTS_IN_FLIGHT)
        self._start(_pour(calls, arrived, self._verdicts))
        ended = False
        sent: list[asyncio.Task[None]] = []
        while not ended:
            batch = [await arrived.get()]
            await self._slots.acquire()
            while len(batch) < _LINES_A_REQUEST and batch[-1] is not None and not arrived.empty():
                batch.append(arrived.get_nowait())
            ended = batch[-1] is None
            requests = [request for request in batch if request is not None]
            sent.append(self._start(self._send(requests)))
        await asyncio.gather(*sent)
        self._verdicts.put_nowait(None)

    async def _send(self, batch: Sequence[ScoreRequest]) -> None:
        waiting = {request.id for request in batch}
        try:
            if batch:
                async with self._connection.lines("POST", self._path, content=scoring.score_body(batch)) as lines:
                    async for data in lines:
                        line = scoring.read_score_line(data)
                        if line is not None and line.id in waiting:
                            waiting.remove(line.id)
                            self._verdicts.put_nowait((line.id, line.verdict))
            for unanswered in _unanswered(self._package, waiting):
                self._verdicts.put_nowait(unanswered)
        except Exception as error:  # noqa: BLE001 -- whatever it was, it is raised where verdicts are awaited
            self._verdicts.put_nowait(error)
        finally:
            self._slots.release()

    def _start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        return task


async def _pour(
    calls: AsyncIterator[ScoreRequest], arrived: "asyncio.Queue[ScoreRequest | None]", failures: "asyncio.Queue[Any]"
) -> None:
    try:
        async for call in calls:
            await arrived.put(call)
    except Exception as error:  # noqa: BLE001 -- the caller's own source failed: raised where verdicts are awaited
        failures.put_nowait(error)
    await arrived.put(None)
