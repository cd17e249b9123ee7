"""A look at something outside that may hang: who asks waits shortly, and those who ask meanwhile share the look."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

GIVEN_UP_SECONDS = 300.0
"""So long a look keeps others off. One whose connection was lost without a word may hang when what it looks at has long
answered everybody else again; each that is given up keeps a thread and a connection until it ends.
"""
_Found = TypeVar("_Found")


class LookError(Exception):
    """Nothing was found in time: it hangs, or this process has no thread left."""


class _Look(Generic[_Found]):
    """One look, in a thread of its own."""

    def __init__(self, read: Callable[[], _Found], name: str) -> None:
        self._read = read
        self._began = time.monotonic()
        self._found: Future[_Found] = Future()
        # A daemon: a process that ends does not wait for what hangs.
        threading.Thread(target=self._fill, daemon=True, name=name).start()

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or is given up."""
        return self._found.done() or time.monotonic() - self._began > GIVEN_UP_SECONDS

    def found(self, patience_seconds: float) -> _Found:
        """Waits until it has had that long, however late this is asked."""
        return self._found.result(max(0.0, self._began + patience_seconds - time.monotonic()))

    async def seen(self, patience_seconds: float) -> _Found:
        """:meth:`found` for asyncio: parks no thread."""
        if self._found.done():
            return self._found.result()
        found = asyncio.wrap_future(self._found)
        found.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # told to who still waits
        await asyncio.wait([found], timeout=max(0.0, self._began + patience_seconds - time.monotonic()))
        if not found.done():
            raise TimeoutError
        return found.result()

    def _fill(self) -> None:
        try:
            self._found.set_result(self._read())
        except BaseException as error:  # noqa: BLE001 -- whoever waits for the result gets it
            self._found.set_exception(error)


class Looks(Generic[_Found]):
    """Looks at one thing, one look at a time in each process.

    A look that takes longer goes on, and what it found out is there for the next one. Until it ends, or is given up, no
    other begins, so askers of a thing that hangs do not pile up. The patience is the look's: if each asker had its own,
    a hundred at once would wait for one another, and the last for minutes.
    """

    def __init__(self, read: Callable[[], _Found], *, patience_seconds: float, name: str) -> None:
        self._read = read
        self._patience_seconds = patience_seconds
        self._name = name
        self._lock = threading.Lock()
        self._look: _Look[_Found] | None = None

    def found(self) -> _Found:
        """What a look finds, or raises. Raises ``LookError`` where that takes too long."""
        look = self._begun()
        try:
            return look.found(self._patience_seconds)
        except TimeoutError as error:
            raise self._too_long() from error

    async def seen(self) -> _Found:
        """:meth:`found` for asyncio: parks no thread."""
        look = self._begun()
        try:
            return await look.seen(self._patience_seconds)
        except TimeoutError as error:
            raise self._too_long() from error

    def _too_long(self) -> LookError:
        return LookError(f"nothing within {self._patience_seconds:g} seconds")

    def _begun(self) -> _Look[_Found]:
        """The look that is under way, or a new one."""
        with self._lock:
            look = self._look
            if look is None or look.is_over:
                try:
                    look = self._look = _Look(self._read, self._name)
                except RuntimeError as error:
                    raise LookError("no thread is left in this process") from error
            return look
