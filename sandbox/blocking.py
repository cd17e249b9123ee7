"""BlockingSandbox: the same front door for code without an event loop, over a private one in a thread."""

import asyncio
import contextlib
import queue
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

from sandbox.errors import SandboxError
from sandbox.front_door import FrontDoor
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
_READ_AHEAD = 512


class BlockingSandbox:
    """Every method of :class:`~sandbox.running.Sandbox`, from any thread. Close it, or use it in a ``with``.

    Over a backend, or over a sandbox that is put together already; nobody else may use that then.
    """

    def __init__(self, backend: Backend | FrontDoor, settings: SandboxSettings | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="verihub-sandbox", daemon=True)
        self._thread.start()
        self.inner: FrontDoor = Sandbox(backend, settings) if isinstance(backend, Backend) else backend
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

        if self._loop.is_closed():
            raise SandboxError("this sandbox is closed: make a new one")
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

    def check(self) -> None:
        self._wait(self.inner.check())

    def image_digest(self, source: Source) -> str:
        return self._wait(self.inner.image_digest(source))

    def render_metrics(self) -> str:
        """Prometheus text, made where the numbers are counted."""

        async def render() -> str:
            return self.inner.render_metrics()

        return self._wait(render())

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
        if self._loop.is_closed():
            work.close()
            raise SandboxError("this sandbox is closed: make a new one")
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
    """What the loop may read: a list as it is, anything else through a thread, since reading it may block."""
    if isinstance(calls, (list, tuple)):
        return calls
    return aiter(_CallReader(calls))


class _CallReader:
    """A caller's iterator, read a bounded step ahead in a thread of its own; each call is handed over at once."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._calls = calls
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Call] = deque()
        self._changed = asyncio.Event()
        self._room = threading.Semaphore(_READ_AHEAD)
        self._error: BaseException | None = None
        self._is_over = False
        self._is_left = False
        threading.Thread(target=self._read, name="verihub-calls", daemon=True).start()

    def __aiter__(self) -> AsyncIterator[Call]:
        return self._take()

    async def _take(self) -> AsyncGenerator[Call]:
        try:
            while True:
                while self._ready:
                    call = self._ready.popleft()
                    self._room.release()
                    yield call
                if self._is_over and not self._ready:
                    break
                self._changed.clear()
                if not self._ready and not self._is_over:
                    await self._changed.wait()
        finally:
            self._is_left = True
            self._room.release()
        if self._error is not None:
            raise self._error

    def _read(self) -> None:
        """The thread's work."""
        try:
            for call in self._calls:
                self._room.acquire()
                if self._is_left:
                    break
                self._ready.append(call)
                if not self._changed.is_set():
                    self._wake()
        except BaseException as error:  # noqa: BLE001 -- raised again where the calls are read
            self._error = error
        self._is_over = True
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._changed.set)
