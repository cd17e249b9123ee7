"""A value for each event loop: anyio's limiters and streams belong to the loop that first waits on them."""

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

Value = TypeVar("Value")


class PerLoop(Generic[Value]):
    """Makes a value at its first use in a loop. A server has one loop; several share an application only in tests."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._made: WeakKeyDictionary[asyncio.AbstractEventLoop, Value] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def get(self) -> Value:
        """The running loop's value."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._made:
                self._made[loop] = self._make()
            return self._made[loop]
