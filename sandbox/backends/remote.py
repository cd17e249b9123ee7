"""A sandbox somewhere else: the same methods, over a transport that its caller hands in (a hub's HTTP interface)."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from types import TracebackType
from typing import Any, Protocol, Self

from sandbox.errors import HostFaultError
from sandbox.guest.vector import BrokenVectorError, check_vector
from sandbox.interface import BoxInfo, Call, Source
from sandbox.scoring import Judged
from sandbox.sessions import Session
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import ErrorKind, Verdict

_TOGETHER = 64
_REQUESTS = 4


class RemoteTransport(Protocol):
    """What somebody else's sandbox must offer. Failures of the line are :class:`~sandbox.errors.HostFaultError`."""

    def score(
        self, source: Source, calls: Sequence[Call], isolation: Isolation | None
    ) -> AsyncIterator[tuple[str, Verdict]]:
        """One request; verdicts in completion order. It may break off, then the rest is asked for again."""

    async def warm(self, source: Source, boxes: int) -> BoxInfo: ...

    async def tasks(self, source: Source, split: str, start: int, count: int, seed: int) -> list[dict[str, Any]]: ...

    async def tools(self, source: Source) -> list[dict[str, Any]]: ...

    async def call_tool(self, source: Source, name: str, arguments: dict[str, Any]) -> Any: ...

    def session(self, source: Source, task: dict[str, Any], seed: int) -> AbstractAsyncContextManager[Session]: ...

    async def image_digest(self, source: Source) -> str: ...

    async def aclose(self) -> None: ...


class RemoteSandbox:
    """The methods of :class:`~sandbox.running.Sandbox`; calls go out in a few bounded requests at a time.

    Every call gets one verdict: a line that breaks is tried again with what is still unanswered, then the rest is
    ``host``. Answers that were not asked for, come twice or break the declaration are not believed.
    """

    def __init__(self, transport: RemoteTransport, settings: SandboxSettings | None = None) -> None:
        self._transport = transport
        self.settings = settings or SandboxSettings()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def score(
        self, source: Source, calls: AsyncIterable[Call] | Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncGenerator[tuple[str, Verdict]]:
        """``(id, verdict)`` of every call, in completion order."""
        async with aclosing(self.judge(source, calls, isolation=isolation)) as judged:
            async for one in judged:
                yield one.id, one.verdict

    async def judge(
        self, source: Source, calls: AsyncIterable[Call] | Iterable[Call], *, isolation: Isolation | None = None
    ) -> AsyncGenerator[Judged]:
        """:meth:`score`; the time that the package's code took is not known here (0)."""
        answers: asyncio.Queue[Judged | None] = asyncio.Queue(_TOGETHER * _REQUESTS)
        feeder = asyncio.ensure_future(self._feed(source, calls, isolation, answers))
        try:
            while (one := await answers.get()) is not None:
                yield one
            await feeder
        except ExceptionGroup as several:
            raise several.exceptions[0] from None
        finally:
            feeder.cancel()
            await asyncio.gather(feeder, return_exceptions=True)

    async def _feed(
        self,
        source: Source,
        calls: AsyncIterable[Call] | Iterable[Call],
        isolation: Isolation | None,
        answers: "asyncio.Queue[Judged | None]",
    ) -> None:
        slots = asyncio.Semaphore(_REQUESTS)

        async def request(group: list[Call]) -> None:
            try:
                await self._request(source, group, isolation, answers)
            finally:
                slots.release()

        try:
            async with asyncio.TaskGroup() as requests:
                async for group in _groups(calls):
                    await slots.acquire()
                    requests.create_task(request(group))
        finally:
            await answers.put(None)

    async def _request(
        self,
        source: Source,
        group: list[Call],
        isolation: Isolation | None,
        answers: "asyncio.Queue[Judged | None]",
    ) -> None:
        """One group, until each of its calls has an answer or the line has failed too often."""
        waiting = {call.id: call for call in group}
        reason = ""
        for attempt in range(self.settings.host_retries + 1):
            try:
                async for call_id, verdict in self._transport.score(source, list(waiting.values()), isolation):
                    if waiting.pop(call_id, None) is not None:
                        await answers.put(Judged(call_id, _checked(verdict, source), 0.0))
            except HostFaultError as fault:
                reason = str(fault)
            if not waiting:
                return
            await asyncio.sleep(0.1 * 2**attempt)
        names = list(source.manifest.rewards)
        for call_id in waiting:
            message = f"given up after {self.settings.host_retries + 1} requests: {reason or 'no answer came'}"
            await answers.put(Judged(call_id, Verdict.unjudged(names, ErrorKind.HOST, message), 0.0))

    async def warm(self, source: Source, boxes: int = 1) -> BoxInfo:
        return await self._transport.warm(source, boxes)

    async def tasks(
        self, source: Source, split: str, *, start: int = 0, count: int = 100, seed: int = 0
    ) -> list[dict[str, Any]]:
        return await self._transport.tasks(source, split, start, count, seed)

    async def tools(self, source: Source) -> list[dict[str, Any]]:
        return await self._transport.tools(source)

    async def call_tool(self, source: Source, name: str, arguments: dict[str, Any]) -> Any:
        return await self._transport.call_tool(source, name, arguments)

    def session(self, source: Source, task: dict[str, Any], *, seed: int = 0) -> AbstractAsyncContextManager[Session]:
        return self._transport.session(source, task, seed)

    async def image_digest(self, source: Source) -> str:
        return await self._transport.image_digest(source)

    async def aclose(self) -> None:
        await self._transport.aclose()


def _checked(verdict: Verdict, source: Source) -> Verdict:
    """The verdict, when it fits what this release declares here."""
    declared = {name: reward.range for name, reward in source.manifest.rewards.items()}
    try:
        check_vector(verdict.rewards, declared)
    except BrokenVectorError as broken:
        message = f"the remote sandbox answered with another vector: {broken}"
        return Verdict.unjudged(list(declared), ErrorKind.HOST, message)
    return verdict


async def _groups(calls: AsyncIterable[Call] | Iterable[Call]) -> AsyncIterator[list[Call]]:
    """Calls in bounded groups. What comes one by one is sent one by one: it may wait for its verdict."""
    if isinstance(calls, AsyncIterable):
        async for call in calls:
            yield [call]
        return
    group: list[Call] = []
    for call in calls:
        group.append(call)
        if len(group) == _TOGETHER:
            yield group
            group = []
    if group:
        yield group
