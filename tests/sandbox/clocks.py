"""A clock that a test turns forward: nothing waits, and nothing depends on how busy the machine is."""

import asyncio
import heapq
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Any, TypeVar

T = TypeVar("T")

_TURNS = 50  # of the event loop, in which everything that can go on does


class _Alarm:
    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        self.callback = None


class HandClock:
    """Stands at 0 until :meth:`advance`."""

    def __init__(self) -> None:
        self._now = 0.0
        self._alarms: list[tuple[float, int, _Alarm]] = []
        self._numbers = count()

    def now(self) -> float:
        return self._now

    def call_later(self, seconds: float, callback: Callable[[], object]) -> _Alarm:
        alarm = _Alarm(callback)
        heapq.heappush(self._alarms, (self._now + seconds, next(self._numbers), alarm))
        return alarm

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        self.call_later(seconds, lambda: woken.done() or woken.set_result(None))
        await woken

    async def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass: every alarm rings at its moment, and its consequences follow before the next."""
        end = self._now + seconds
        await settled()
        while self._alarms and self._alarms[0][0] <= end:
            self._now, _, alarm = heapq.heappop(self._alarms)
            if alarm.callback is not None:
                alarm.callback()
                await settled()
        self._now = end
        await settled()


async def settled() -> None:
    """Until tasks that wait for no clock have gone as far as they can, those in the loop's threads included.

    Threads are waited for under :func:`run_by_hand` only.
    """
    loop = asyncio.get_running_loop()
    threads = getattr(loop, "_default_executor", None)
    while True:
        heard = threads.heard if isinstance(threads, _CountedThreads) else 0
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        if not isinstance(threads, _CountedThreads):
            return
        if threads.at_work:
            await asyncio.sleep(0.001)  # a thread of ours works: how long it takes is not for this clock to say
        elif threads.heard == heard:
            return
        # else the loop heard of a thread's end in one of these turns, and what follows from it may need as many


class _CountedThreads(ThreadPoolExecutor):
    """Knows how many of its calls are not finished, their callbacks in the loop included."""

    at_work = 0
    heard = 0
    """How many calls have finished."""

    def submit(self, *args: Any, **kwargs: Any) -> "Future[Any]":
        """As always; called and finished in the loop's own thread, so that counting needs no lock.

        A call counts until whoever waits for it is told. Else time could pass between its end and their hearing of it.
        """
        loop = asyncio.get_running_loop()
        told: Future[Any] = Future()
        told.set_running_or_notify_cancel()

        def finish(lent: "Future[Any]") -> None:
            error = lent.exception()
            told.set_result(lent.result()) if error is None else told.set_exception(error)
            self.at_work -= 1
            self.heard += 1

        self.at_work += 1
        lent = super().submit(*args, **kwargs)
        lent.add_done_callback(lambda lent: loop.is_closed() or loop.call_soon_threadsafe(finish, lent))
        return told


def run_by_hand(work: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` for a test with a :class:`HandClock`: its time passes only when no thread works either."""

    async def run() -> T:
        asyncio.get_running_loop().set_default_executor(_CountedThreads())
        return await work

    return asyncio.run(run())


class _Idle(selectors.DefaultSelector):
    """Where a loop would wait for its next timer, the clock goes there at once."""

    now = 0.0
    threads: _CountedThreads

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if self.threads.at_work:
            return super().select()  # how long a thread works is not for this clock to say; its end wakes the loop
        events = super().select(0)
        if not events:
            self.now += timeout
        return events


class LoopWithoutWaiting(asyncio.SelectorEventLoop):
    """Its time passes only when nothing can go on, and at once then."""

    def __init__(self) -> None:
        self._idle = _Idle()
        self._idle.threads = _CountedThreads()
        super().__init__(self._idle)
        self.set_default_executor(self._idle.threads)

    def time(self) -> float:
        return self._idle.now


def run_without_waiting(work: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` for what reads the loop's clock: its time passes only when nothing can go on, and at once then.

    For work within one process. A busy machine changes nothing: no timer rings while a task or thread has work.
    """
    with asyncio.Runner(loop_factory=LoopWithoutWaiting) as runner:
        return runner.run(work)
