"""Handles Ctrl-C and SIGTERM during training: the run finishes its step and writes a checkpoint before it stops."""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self


class StopAfterStep:
    """A context manager. The first interrupt sets ``is_asked``; the second raises KeyboardInterrupt at once.

    Signals reach only the main thread. In other threads this does nothing.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._before: dict[signal.Signals, Any] = {}
        self.is_asked = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 -- a handler's shape
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True
        self._say("Stopping after this step, with a checkpoint. Press Ctrl-C again to stop at once.")
