"""An asynchronous stream of one event loop, computed on another that runs in a thread."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

_END = object()
IN_FLIGHT = 2048
"""Items handed over and not answered yet; the source is read no further."""


@dataclass
class _There:
    """The other side, as far as this side may touch it."""

    loop: asyncio.AbstractEventLoop
    task: "asyncio.Task[Any]"
    inbox: "asyncio.Queue[Any]" = field(default_factory=asyncio.Queue)

    def put(self, item: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed already, and so is who would read this
            self.loop.call_soon_threadsafe(self.inbox.put_nowait, item)

    def cancel(self) -> None:
        with suppress(RuntimeError):  # the loop is closed already: nothing is left to cancel
            self.loop.call_soon_threadsafe(self.task.cancel)


class LoopBridge(Generic[In, Out]):
    """Hands items to ``compute`` on another loop and yields what it makes, one out for each in.

    ``run`` blocks its thread until the coroutine it is given has finished on the other loop. Leaving the stream early
    cancels the work there.
    """

    def __init__(
        self,
        run: Callable[[Coroutine[Any, Any, None]], None],
        compute: Callable[[AsyncIterator[In]], AsyncIterator[Out]],
        in_flight: int = IN_FLIGHT,
    ) -> None:
        self._run = run
        self._compute = compute
        self._room = asyncio.Semaphore(in_flight)
        self._outbox: asyncio.Queue[Any] = asyncio.Queue()
        self._here = asyncio.get_running_loop()
        self._ready: asyncio.Future[_There] = self._here.create_future()

    async def stream(self, items: AsyncIterator[In]) -> AsyncIterator[Out]:
        """Yield one result for each of ``items``, in completion order."""
        work = asyncio.create_task(asyncio.to_thread(self._run, self._compute_there()))
        work.add_done_callback(self._worker_ended)
        feeding: asyncio.Task[None] | None = None
        there: _There | None = None
        try:
            there = await self._ready
            feeding = asyncio.create_task(self._feed(items, there))
            while (one := await self._outbox.get()) is not _END:
                if isinstance(one, BaseException):
                    raise one
                self._room.release()
                yield one
        finally:
            if feeding is not None:
                feeding.cancel()
            if there is not None:
                there.cancel()
            with suppress(Exception, asyncio.CancelledError):  # what went wrong there was raised above
                await work

    async def _feed(self, items: AsyncIterator[In], there: _There) -> None:
        try:
            async for item in items:
                await self._room.acquire()
                there.put(item)
        except Exception as error:  # noqa: BLE001 -- the source failed: raised where the results are awaited
            self._outbox.put_nowait(error)
        finally:
            there.put(_END)

    async def _compute_there(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        there = _There(asyncio.get_running_loop(), task)
        self._here.call_soon_threadsafe(self._ready.set_result, there)
        try:
            async for one in self._compute(_arriving(there.inbox)):
                self._hand_back(one)
        except Exception as error:  # noqa: BLE001 -- raised again on the caller's loop
            self._hand_back(error)
        finally:
            self._hand_back(_END)

    def _hand_back(self, one: Any) -> None:
        with suppress(RuntimeError):  # the caller's loop is gone, and so is who would read this
            self._here.call_soon_threadsafe(self._outbox.put_nowait, one)

    def _worker_ended(self, work: "asyncio.Task[None]") -> None:
        """A thread that never reached the other loop must not leave the caller waiting."""
        error = None if work.cancelled() else work.exception()
        if error is not None and not self._ready.done():
            self._ready.set_exception(error)
        self._outbox.put_nowait(_END)


async def _arriving(inbox: "asyncio.Queue[Any]") -> AsyncIterator[Any]:
    while (item := await inbox.get()) is not _END:
        yield item
