"""BlockingSandbox: the same front door for code without an event loop, over a private one in a thread."""

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

from sandbox.interface import Backend, BoxInfo, Call, Source
from sandbox.replaying import Replays
from sandbox.running import Sandbox
from sandbox.scoring import Judged
from sandbox.sessions import Session
from sandbox.settings import SandboxSettings
from schemas.manifest import Isolation
from schemas.verdict import Verdict

_Result = TypeVar("_Result")
_END = object()
_UNREAD = 1024


class BlockingSandbox:
    """Every method of :class:`~sandbox.running.Sandbox`, from any thread. Close it, or use it in a ``with``."""

    def __init__(self, backend: Backend, settings: SandboxSettings | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="verihub-sandbox", daemon=True)
        self._thread.start()
        self.inner = Sandbox(backend, settings)
        """The asyncio sandbox; touch it only from its own loop."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def score(
        self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """``(id, verdict)`` in completion order. ``calls`` is read in a thread of the loop's, a bounded step ahead."""
        for one in self.judge(source, calls, isolation=isolation):
            yield one.id, one.verdict

    def judge(self, source: Source, calls: Iterable[Call], *, isolation: Isolation | None = None) -> Iterator[Judged]:
        """:meth:`score`, with the milliseconds that the package's code took."""
        judged: queue.Queue[Any] = queue.Queue()
        credit = threading.Semaphore(_UNREAD)

        async def pump() -> None:
            try:
                async for one in self.inner.judge(source, _readable(calls), isolation=isolation):
                    if not credit.acquire(blocking=False):
                        await asyncio.to_thread(credit.acquire)
                    judged.put(one)
            except asyncio.CancelledError:
                raise
            except BaseException as error:  # noqa: BLE001 -- raised again on the caller's side
                judged.put(error)
            finally:
                judged.put(_END)

        future = asyncio.run_coroutine_threadsafe(pump(), self._loop)
        try:
            while (one := judged.get()) is not _END:
                credit.release()
                if isinstance(one, BaseException):
                    raise one
                yield one
        finally:
            future.cancel()
            credit.release()

    def warm(self, source: Source, boxes: int = 1) -> BoxInfo:
        return self._wait(self.inner.warm(source, boxes))

    def tasks(
        self, source: Source, split: str, *, start: int = 0, count: int = 100, seed: int = 0
    ) -> list[dict[str, Any]]:
        return self._wait(self.inner.tasks(source, split, start=start, count=count, seed=seed))

    def tools(self, source: Source) -> list[dict[str, Any]]:
        return self._wait(self.inner.tools(source))

    def call_tool(self, source: Source, name: str, arguments: dict[str, Any]) -> Any:
        return self._wait(self.inner.call_tool(source, name, arguments))

    def image_digest(self, source: Source) -> str:
        return self._wait(self.inner.image_digest(source))

    def replays(self, source: Source) -> Replays:
        return self.inner.replays(source)

    @contextmanager
    def session(self, source: Source, task: dict[str, Any], *, seed: int = 0) -> Iterator["BlockingSession"]:
        """A live episode for the length of the ``with``."""

        async def enter() -> tuple[Any, Session]:
            manager = self.inner.session(source, task, seed=seed)
            return manager, await manager.__aenter__()

        manager, session = self._wait(enter())
        try:
            yield BlockingSession(self, session)
        finally:
            self._wait(manager.__aexit__(None, None, None))

    def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Run a coroutine of the inner sandbox on its loop: ``blocking.run(run_audit(blocking.inner, …))``."""
        return self._wait(work)

    def close(self) -> None:
        """End every box, then the thread. Idempotent."""
        if self._loop.is_closed():
            return
        self._wait(self.inner.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


class BlockingSession:
    """:class:`~sandbox.sessions.Session` without ``await``."""

    def __init__(self, sandbox: BlockingSandbox, session: Session) -> None:
        self._sandbox = sandbox
        self.inner = session

    def reset(self) -> dict[str, Any]:
        return self._sandbox.run(self.inner.reset())

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        return self._sandbox.run(self.inner.step(message))

    def state(self) -> dict[str, Any]:
        return self._sandbox.run(self.inner.state())

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._sandbox.run(self.inner.call_tool(name, arguments))

    def branch(self) -> "BlockingSession":
        return BlockingSession(self._sandbox, self._sandbox.run(self.inner.branch()))

    def undo(self) -> None:
        self._sandbox.run(self.inner.undo())

    def close(self) -> None:
        self._sandbox.run(self.inner.close())


def _readable(calls: Iterable[Call]) -> Iterable[Call] | AsyncIterator[Call]:
    """What the loop may read: a list as it is, anything else through a thread."""
    return calls if isinstance(calls, (list, tuple)) else _in_thread(calls)


async def _in_thread(calls: Iterable[Call]) -> AsyncIterator[Call]:
    """Read a caller's iterator in a worker thread: it may block, and the loop must not."""
    iterator = iter(calls)
    while True:
        batch = await asyncio.to_thread(_take, iterator)
        for call in batch:
            yield call
        if not batch:
            return


def _take(iterator: Iterator[Call]) -> list[Call]:
    """The next call; one at a time, so that a caller who makes calls slowly has each judged at once."""
    try:
        return [next(iterator)]
    except StopIteration:
        return []
