"""The clock of the sandbox. Tests pass in their own clock, and so need no sleeps."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol


class Timer(Protocol):
    """A scheduled callback."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Seconds since an arbitrary moment, and callbacks after a number of seconds. Within one event loop."""

    def now(self) -> float: ...

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer: ...

    async def sleep(self, seconds: float) -> None: ...


class LoopClock:
    """The running loop's clock and its timers, so that both tell the same time."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@asynccontextmanager
async def time_limit(clock: Clock, seconds: float) -> AsyncIterator[None]:
    """Like ``asyncio.timeout``, with ``clock``: raises TimeoutError when the block takes longer."""
    task = asyncio.current_task()
    assert task is not None
    is_over = False

    def end() -> None:
        nonlocal is_over
        is_over = True
        task.cancel()

    timer = clock.call_later(seconds, end)
    try:
        yield
    except asyncio.CancelledError:
        if is_over and task.uncancel() == 0:
            raise TimeoutError from None
        raise
    finally:
        timer.cancel()
