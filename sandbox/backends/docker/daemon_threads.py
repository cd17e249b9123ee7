"""Threads that hold up no program's end: Python's own pool waits for its threads, whatever they wait for."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class DaemonThreads(Executor):
    """At most ``count`` threads, each begun when there is work that no other is free for."""

    def __init__(self, count: int, *, name: str) -> None:
        self._count = count
        self._name = name
        self._changed = threading.Condition()
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._begun = 0
        self._free = 0
        self._is_shut = False

    def submit(self, fn: Callable[_Given, _Result], /, *args: _Given.args, **kwargs: _Given.kwargs) -> Future[_Result]:
        """Raises ``RuntimeError`` after :meth:`shutdown`, or where no thread can be had."""
        found: Future[_Result] = Future()
        with self._changed:
            if self._is_shut:
                raise RuntimeError("these threads were shut down")
            if self._free <= len(self._waiting) and self._begun < self._count:
                threading.Thread(target=self._work, daemon=True, name=f"{self._name}-{self._begun}").start()
                self._begun += 1
            self._waiting.append((found, lambda: fn(*args, **kwargs)))
            self._changed.notify()
        return found

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 -- as its base
        """Take no more work; what has begun goes on, and nobody waits for it."""
        with self._changed:
            self._is_shut = True
            if cancel_futures:
                for found, _ in self._waiting:
                    found.cancel()
                self._waiting.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        while (taken := self._take()) is not None:
            found, work = taken
            if not found.set_running_or_notify_cancel():
                continue
            try:
                found.set_result(work())
            except BaseException as error:  # noqa: BLE001 -- whoever waits for the result gets it
                found.set_exception(error)
            del taken, found, work  # while it waits it keeps nothing alive

    def _take(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        """The next piece of work; None when there will be none."""
        with self._changed:
            self._free += 1
            while not self._waiting and not self._is_shut:
                self._changed.wait()
            self._free -= 1
            return self._waiting.popleft() if self._waiting else None
