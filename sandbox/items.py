"""One call on its way through a lot: its bytes, its level, its limit, and who is told."""

import time
from collections.abc import Callable

from sandbox.troubles import Trouble


class Item:
    """One call in the queue. ``deliver(item, outcome, microseconds)`` is called once, unless it is cancelled."""

    __slots__ = (
        "attempts",
        "deliver",
        "first_level",
        "is_cancelled",
        "level",
        "payload",
        "queued_at",
        "timeout_seconds",
    )

    def __init__(
        self,
        payload: bytes,
        level: int,
        timeout_seconds: float,
        deliver: "Callable[[Item, bytes | Trouble, int], None]",
    ) -> None:
        self.payload = payload
        self.level = self.first_level = level
        self.timeout_seconds = timeout_seconds
        self.deliver = deliver
        self.attempts = 0
        self.is_cancelled = False
        self.queued_at = time.monotonic()
