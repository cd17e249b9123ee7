"""Bounded streams between threads and event loops. The receiver always gets an end or an error, so it never hangs.

A :class:`Channel` carries items from a sender to a receiver. Either side may be a coroutine of any event loop or a
plain thread. No thread is blocked for a coroutine that waits, so any number of streams may be open. :func:`across`,
:func:`blocking` and :func:`produced` make a channel for the usual cases. Standard library only;
docs/decisions/0012-one-stream-of-our-own.md says why.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from contextlib import aclosing, suppress
from typing import Any, Generic, Protocol, TypeVar

In = TypeVar("In")
Item = TypeVar("Item")
Out = TypeVar("Out")

SIZE = 1024
"""Items that a channel holds unless it is told otherwise; then its sender waits."""
_TOGETHER = 256  # taken under one lock and after one wake-up; more would only hold up the first of them
_BURST_SECONDS = 0.001
"""Waking another thread costs a system call and a change of threads: within a burst it is done once a turn of the loop,
or after this time, whichever comes first."""


class StreamLeftError(Exception):
    """The receiver has left: nothing that is sent now would be read."""


class StreamCutError(Exception):
    """The sender was cancelled, or its event loop has ended, before it could end the stream."""


class _Waiter(Protocol):
    @property
    def is_elsewhere(self) -> bool:
        """Whether waking it from here wakes another thread."""
        ...

    def set(self) -> None: ...


_Event = TypeVar("_Event", bound=_Waiter)


class _ThreadEvent(threading.Event):
    """An event that a thread waits for and that any thread or coroutine sets."""

    is_elsewhere = True


class _LoopEvent:
    """An event that a coroutine waits for and that any thread sets."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[None] = self._loop.create_future()

    @property
    def is_elsewhere(self) -> bool:
        return _running_loop() is not self._loop

    def set(self) -> None:
        if not self.is_elsewhere:
            self._resolve()
        else:
            with suppress(RuntimeError):  # that loop is closed: nobody waits there any more
                self._loop.call_soon_threadsafe(self._resolve)

    def _resolve(self) -> None:
        if not self._future.done():
            self._future.set_result(None)

    async def wait(self) -> None:
        await self._future


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:  # asyncio's word for: no loop runs in this thread
        return None


class Channel(Generic[Item]):
    """A bounded queue with an end, for threads and event loops alike. Thread-safe.

    Sending waits while ``size`` items are unread. After :meth:`close` the receiver gets what was sent before, then the
    error or the end. After :meth:`leave` every send raises :class:`StreamLeftError`. ``weigh`` says what an item
    weighs, for instance in bytes; :attr:`weight` is then that of all unread items.
    """

    def __init__(self, size: int = SIZE, weigh: Callable[[Item], int] | None = None) -> None:
        self.weight = 0
        self._size = size
        self._weigh = weigh
        self._items: deque[Item] = deque()
        self._lock = threading.Lock()
        self._senders: list[_Waiter] = []
        self._receivers: list[_Waiter] = []
        self._late: list[_Waiter] = []
        """Waiters of other threads that are woken at the end of this turn of the loop."""
        self._woken_at = 0.0
        self._is_closed = False
        self._is_left = False
        self._error: BaseException | None = None

    @property
    def unread(self) -> int:
        """How many items lie in it."""
        return len(self._items)

    # -- sending -----------------------------------------------------------------------------------------------------

    async def send(self, item: Item) -> None:
        """Send from a coroutine; waits while the channel is full."""
        while (full := self._offer(item, _LoopEvent)) is not None:
            try:
                await full.wait()
            finally:
                self._forget(full)

    def send_blocking(self, item: Item) -> None:
        """Send from a thread; waits while the channel is full."""
        while (full := self._offer(item, _ThreadEvent)) is not None:
            full.wait()

    def put(self, item: Item) -> None:
        """:meth:`put_all` for one."""
        self.put_all([item])

    def put_all(self, items: list[Item]) -> None:
        """Send without waiting, also over ``size``: for a sender that is bounded otherwise. One wake for all items."""
        with self._lock:
            woken = self._add(items)
        self._wake_receivers(woken)

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """For a sender that is bounded otherwise: wait until ``is_so()``, which is asked whenever items were taken."""
        while not is_so():
            with self._lock:
                if is_so():
                    return
                self._check_open()
                waiter = _LoopEvent()
                self._senders.append(waiter)
            try:
                await waiter.wait()
            finally:
                self._forget(waiter)

    def close(self, error: BaseException | None = None) -> None:
        """Close the sending side. With ``error``, the receiver gets it at the end. Only the first close counts."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed, self._error = True, error
            woken = [*self._receivers, *self._senders, *self._late]
            self._receivers, self._senders, self._late = [], [], []
        _wake(woken)

    async def fill(self, source: AsyncIterable[Item]) -> None:
        """Send all of ``source``, then close, with its error if it raised one. Ends early when the receiver leaves."""
        try:
            async for item in source:
                await self.send(item)
        except asyncio.CancelledError:
            self.close(StreamCutError("the stream's sender was cancelled"))
            raise
        except BaseException as error:  # noqa: BLE001 -- whatever it is, the receiver gets it
            self.close(error)
        finally:
            self.close()
            if isinstance(source, AsyncGenerator):
                with suppress(Exception):  # what its clean-up raises: the stream has ended already
                    await source.aclose()

    def fill_blocking(self, source: Iterable[Item]) -> None:
        """:meth:`fill` for a thread."""
        try:
            for item in source:
                self.send_blocking(item)
        except BaseException as error:  # noqa: BLE001 -- whatever it is, the receiver gets it
            self.close(error)
        finally:
            self.close()

    # -- receiving ---------------------------------------------------------------------------------------------------

    async def take(self, limit: int = _TOGETHER) -> list[Item]:
        """Wait for an item, then take what is there, ``limit`` at most; empty at the end. Raises the sender's error."""
        while not isinstance(taken := self._take(limit, _LoopEvent), list):
            try:
                await taken.wait()
            finally:
                self._forget(taken)
        return taken

    def take_blocking(self, limit: int = _TOGETHER) -> list[Item]:
        """:meth:`take` for a thread."""
        while not isinstance(taken := self._take(limit, _ThreadEvent), list):
            taken.wait()
        return taken

    def take_now(self) -> list[Item]:
        """What is there, without waiting."""
        with self._lock:
            taken = self._taken(len(self._items))
            woken, self._senders = self._senders, []
        _wake(woken)
        return taken

    async def __aiter__(self) -> AsyncIterator[Item]:
        while items := await self.take():
            for item in items:
                yield item

    def __iter__(self) -> Iterator[Item]:
        while items := self.take_blocking():
            yield from items

    def leave(self) -> None:
        """Close the reading side. What was sent and not read is dropped."""
        with self._lock:
            self._is_left = True
            self._items.clear()
            self.weight = 0
            woken, self._senders = self._senders, []
        _wake(woken)

    # -- under the lock ----------------------------------------------------------------------------------------------

    def _offer(self, item: Item, make_waiter: Callable[[], _Event]) -> _Event | None:
        """Queue ``item``, or return what is set when there may be room. Registered under the lock: no wake is lost."""
        with self._lock:
            self._check_open()  # also where it is full: nobody would wake who waits for a channel that has ended
            if len(self._items) >= self._size:
                waiter = make_waiter()
                self._senders.append(waiter)
                return waiter
            woken = self._add([item])
        self._wake_receivers(woken)
        return None

    def _add(self, items: list[Item]) -> list[_Waiter]:
        self._check_open()
        self._items += items
        if self._weigh is not None:
            self.weight += sum(map(self._weigh, items))
        woken, self._receivers = self._receivers, []
        return woken

    def _take(self, limit: int, make_waiter: Callable[[], _Event]) -> list[Item] | _Event:
        with self._lock:
            if self._items:
                taken = self._taken(limit)
                woken: list[_Waiter] = []
                if len(self._items) <= self._size // 2:  # at each item, a full channel would change threads for each
                    woken, self._senders = self._senders, []
            elif self._is_closed:
                if self._error is not None:
                    raise self._error
                return []
            else:
                waiter = make_waiter()
                self._receivers.append(waiter)
                return waiter
        _wake(woken)
        return taken

    def _taken(self, limit: int) -> list[Item]:
        if len(self._items) <= limit:
            taken, self._items = list(self._items), deque()
            self.weight = 0
        else:
            taken = [self._items.popleft() for _ in range(limit)]
            self.weight -= sum(map(self._weigh, taken)) if self._weigh is not None else 0
        return taken

    def _check_open(self) -> None:
        if self._is_left:
            raise StreamLeftError("nobody reads this stream any more")
        if self._is_closed:
            raise StreamCutError("this stream is closed")

    def _wake_receivers(self, waiters: list[_Waiter]) -> None:
        """Wake them: those of this loop at once; those of other threads at once too, but in a burst together."""
        if not (waiters or self._late):
            return
        loop, now = _running_loop(), time.monotonic()
        if loop is None or now - self._woken_at > _BURST_SECONDS:
            self._wake_late(waiters)
            return
        late = [waiter for waiter in waiters if waiter.is_elsewhere]
        _wake([waiter for waiter in waiters if not waiter.is_elsewhere])
        if late:
            with self._lock:
                self._late += late
            loop.call_soon(self._wake_late)

    def _wake_late(self, others: Iterable[_Waiter] = ()) -> None:
        with self._lock:
            late, self._late = self._late, []
            self._woken_at = time.monotonic()
        _wake([*late, *others])

    def _forget(self, waiter: _Waiter) -> None:
        """Drop what a coroutine waited for; it may have been cancelled meanwhile."""
        with self._lock:
            for waiting in (self._senders, self._receivers):
                if waiter in waiting:
                    waiting.remove(waiter)


def _wake(waiters: list[_Waiter]) -> None:
    for waiter in waiters:
        waiter.set()


async def across(
    loop: asyncio.AbstractEventLoop,
    work: Callable[[Channel[In], Channel[Out]], Coroutine[Any, Any, None]],
    items: AsyncIterable[In],
    size: int = SIZE,
    make: Callable[[], Channel[Out]] | None = None,
) -> AsyncGenerator[list[Out]]:
    """Yield here, in lists, what ``work(arriving, results)`` sends to ``results`` on another ``loop``, in a thread.

    ``items`` is read on this loop and comes to it as ``arriving``, up to twice ``size`` ahead of the results that were
    taken; ``make`` makes the channel of results where it is bounded otherwise. An error of either side is raised here.
    Leaving early cancels the work there. Raises StreamCutError where ``loop`` is closed, or closes.
    """
    there: Channel[In] = Channel(size)
    back: Channel[Out] = make() if make is not None else Channel(size)
    working = _submit(lambda: work(there, back), loop, back)
    feeding = asyncio.create_task(there.fill(items))
    try:
        while together := await back.take():
            yield together
    finally:
        there.leave()
        back.leave()
        _cancel(working, loop)
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)


def blocking(
    loop: asyncio.AbstractEventLoop,
    work: Callable[[Channel[Out]], Coroutine[Any, Any, None]],
    make: Callable[[], Channel[Out]] = Channel,
) -> Iterator[Out]:
    """Yield in a thread what ``work(results)`` sends on ``loop``. Leaving early cancels it there."""
    back = make()
    working = _submit(lambda: work(back), loop, back)
    try:
        yield from back
    finally:
        back.leave()
        _cancel(working, loop)


async def produced(
    work: Callable[[Channel[Out]], Coroutine[Any, Any, None]], make: Callable[[], Channel[Out]] = Channel
) -> AsyncGenerator[Out]:
    """Yield what ``work(results)`` sends, on this loop; its error is raised here. Leaving early cancels it."""
    async with aclosing(produced_lists(work, make)) as lists:
        async for together in lists:
            for one in together:
                yield one


async def produced_lists(
    work: Callable[[Channel[Out]], Coroutine[Any, Any, None]],
    make: Callable[[], Channel[Out]] = Channel,
    *,
    gather_seconds: float = 0.0,
) -> AsyncGenerator[list[Out]]:
    """:func:`produced` in lists: what is there, and what comes within ``gather_seconds`` of it."""
    channel = make()
    working = asyncio.create_task(_run_into(channel, work(channel)))
    try:
        while together := await channel.take():
            if gather_seconds and not working.done():
                await asyncio.wait([working], timeout=gather_seconds)
                together += channel.take_now()
            yield together
    finally:
        channel.leave()
        if not working.done():
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)


async def _run_into(channel: Channel[Any], work: Coroutine[Any, Any, None]) -> None:
    """Whatever ends ``work``, whoever reads ``channel`` is told. Of an exception group the first error counts."""
    error: BaseException | None = StreamCutError("the stream's sender was cancelled")
    try:
        await work
        error = None
    except asyncio.CancelledError:
        raise
    except BaseException as raised:  # noqa: BLE001 -- whatever it is, the reader gets it
        error = _first(raised)
    finally:
        channel.close(error)


def _submit(
    work: Callable[[], Coroutine[Any, Any, None]], loop: asyncio.AbstractEventLoop, back: Channel[Any]
) -> "Future[None]":
    """Run ``work`` on ``loop``; however it ends, also before it began, whoever reads ``back`` is told."""

    async def run() -> None:
        await _run_into(back, work())

    task = run()
    try:
        future = asyncio.run_coroutine_threadsafe(task, loop)
    except RuntimeError:  # the loop is closed
        task.close()
        raise StreamCutError("the event loop behind this stream is closed") from None
    future.add_done_callback(lambda _: back.close(StreamCutError("the event loop behind this stream has ended")))
    return future


def _cancel(working: "Future[None]", loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        working.cancel()


async def end_tasks() -> None:
    """Cancel every other task of this loop and wait for them: before a loop stops, so that their readers are told."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
