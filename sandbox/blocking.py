"""The sandbox for code without an event loop: the same methods, over an event loop in a thread of its own."""

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from sandbox.errors import SandboxError
from sandbox.host.scoring_stream import Calls, Judged, Replays, judged_channel
from sandbox.interface import AnyCall, Backend, BoxInfo, Source
from sandbox.protocol import SandboxProtocol
from sandbox.sandbox import Sandbox
from sandbox.sessions.sessions import Session
from sandbox.settings import SandboxSettings
from sandbox.streams import Channel, blocking, end_tasks
from schemas.manifest import Isolation
from schemas.verdict import Verdict

_Result = TypeVar("_Result")
_READ_AHEAD = 512  # chosen, not measured: calls that wait in memory for their turn


class Attend(Protocol):
    """Awaits work of the sandbox on its loop, and may end it early with an error of its own."""

    async def __call__(self, work: Coroutine[Any, Any, _Result]) -> _Result: ...


class BlockingSandbox:
    """Every method of :class:`~sandbox.sandbox.Sandbox`, from any thread. Close it, or use it in a ``with``.

    It is made over a backend, or over a sandbox that nobody else uses.
    """

    def __init__(self, backend: Backend | SandboxProtocol, settings: SandboxSettings | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="verihub-sandbox", daemon=True)
        self._thread.start()
        self.inner: SandboxProtocol = Sandbox(backend, settings) if isinstance(backend, Backend) else backend
        """The asyncio sandbox. Use it only from its own loop."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def score(
        self, source: Source, calls: Iterable[AnyCall], *, isolation: Isolation | None = None
    ) -> Iterator[tuple[str, Verdict]]:
        """``(id, verdict)`` in completion order. ``calls`` is read in a thread, a bounded number of calls ahead."""
        for one in self.judge(source, calls, isolation=isolation):
            yield one.id, one.verdict

    def judge(
        self,
        source: Source,
        calls: Iterable[AnyCall],
        *,
        isolation: Isolation | None = None,
        attend: Attend | None = None,
    ) -> Iterator[Judged]:
        """:meth:`score`, with the milliseconds that the package's code took. ``attend``: see ``Attend``."""
        if self._loop.is_closed():
            raise SandboxError("this sandbox is closed: make a new one")

        async def work(verdicts: Channel[Judged]) -> None:
            with _readable(calls) as arriving:
                judging = self.inner.judge_into(source, arriving, verdicts, isolation=isolation)
                await (judging if attend is None else attend(judging))

        yield from blocking(self._loop, work, judged_channel)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop of the inner sandbox, for streams that cross to it."""
        return self._loop

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
        """Prometheus text, rendered on the loop where the numbers are counted."""

        async def render() -> str:
            return self.inner.render_metrics()

        return self._wait(render())

    def replays(self, source: Source) -> Replays:
        return self.inner.replays(source)

    @contextmanager
    def session(
        self, source: Source, task: dict[str, Any], *, seed: int = 0, attend: Attend | None = None
    ) -> Iterator["BlockingSession"]:
        """A live episode for the length of the ``with``. ``attend``: see ``Attend``; it sees the opening only."""

        async def enter() -> tuple[Any, Session]:
            manager = self.inner.session(source, task, seed=seed)
            opening = manager.__aenter__()
            return manager, await (opening if attend is None else attend(opening))

        manager, session = self._wait(enter())
        try:
            yield BlockingSession(self.run, session)
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
        self._wait(end_tasks())  # Readers of streams are told, instead of waiting for ever.
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
        except BaseException:  # Ctrl-C too: the work would go on in the other thread
            future.cancel()
            raise


class LoopRunner(Protocol):
    """Awaits a coroutine on the sandbox's loop, for a thread."""

    def __call__(self, work: Coroutine[Any, Any, _Result]) -> _Result: ...


class BlockingSession:
    """:class:`~sandbox.sessions.sessions.Session` without ``await``. ``run`` awaits for it, and may map errors."""

    def __init__(self, run: LoopRunner, session: Session) -> None:
        self._run = run
        self.inner = session

    def reset(self) -> dict[str, Any]:
        return self._run(self.inner.reset())

    def step(self, message: dict[str, Any]) -> dict[str, Any]:
        return self._run(self.inner.step(message))

    def state(self) -> dict[str, Any]:
        return self._run(self.inner.state())

    def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        return self._run(self.inner.call_tool(name, arguments))

    def branch(self) -> "BlockingSession":
        return BlockingSession(self._run, self._run(self.inner.branch()))

    def undo(self) -> None:
        self._run(self.inner.undo())

    def close(self) -> None:
        self._run(self.inner.close())


@contextmanager
def _readable(calls: Iterable[AnyCall]) -> Iterator[Calls]:
    """The calls in a form that the loop may read: a list unchanged, anything else through a thread, because reading it
    may block.

    It is read a bounded number of calls ahead, and each call is handed over at once.
    """
    if isinstance(calls, (list, tuple)):
        yield calls
        return
    channel: Channel[AnyCall] = Channel(_READ_AHEAD)
    threading.Thread(target=channel.fill_blocking, args=(calls,), name="verihub-calls", daemon=True).start()
    try:
        yield channel
    finally:
        channel.leave()
