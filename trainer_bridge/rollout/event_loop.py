"""An event loop of its own for what waits for many things at once, whatever this thread runs already."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_in_loop(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end in an event loop of its own, also where this thread has one that is running (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    found: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            found.append(asyncio.run(coroutine))
        except BaseException as error:  # noqa: BLE001 -- raised again by whoever waits
            errors.append(error)

    thread = threading.Thread(target=work, name="verihub-rollouts")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return found[0]


class StoppableRuns:
    """:func:`run_in_loop`, which another thread may break off. One run at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._is_stopped = False

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Run to the end. Raises asyncio.CancelledError where :meth:`stop` was called before or meanwhile."""

        async def announced() -> Result:
            task = asyncio.current_task()
            assert task is not None
            with self._lock:
                self._running = (asyncio.get_running_loop(), task)
                if self._is_stopped:
                    task.cancel()
            try:
                return await coroutine
            finally:
                self._running = None

        return run_in_loop(announced())

    def stop(self) -> None:
        """Break off what runs, and whatever would be run later. Does not wait."""
        with self._lock:
            self._is_stopped = True
            running = self._running
        if running is not None:
            loop, task = running
            with suppress(RuntimeError):  # it has ended by now
                loop.call_soon_threadsafe(task.cancel)
