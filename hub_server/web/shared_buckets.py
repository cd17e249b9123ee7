"""Token buckets that all serving processes of a hub share, through its database.

A process takes tokens in portions and hands them out itself, so that most requests ask no database. The whole hub lets
no more requests through than one bucket allows. Tokens that a process took and did not use are lost to their sender.
"""

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import anyio
import anyio.to_thread
from cachetools import LRUCache
from sqlalchemy.exc import SQLAlchemyError

from hub_server.database.engine import Database
from hub_server.database.rate_buckets import seconds_until_token, take_tokens
from hub_server.errors import ReadOnlyError
from hub_server.web.buckets import Buckets
from hub_server.web.per_loop import PerLoop

_KEPT_SENDERS = 50_000  # chosen, as in buckets.py: bounds the memory whoever sends
_PORTIONS = 20
"""A full bucket is so many portions."""
_LONGEST_REFUSAL_SECONDS = 1.0  # without asking the database again: a flood costs a statement a second for each sender
_THREADS = 4


@dataclass
class _Portion:
    """What this process holds of one sender's bucket."""

    tokens: int = 0
    refused_until: float = 0.0
    """A sender that is refused does not make this process ask the database again at once."""


class SharedBuckets:
    """``rate`` tokens a second up to ``burst`` for each sender, whichever process its requests come to.

    While the database does not answer, or may not be written, each process counts for itself.
    """

    def __init__(
        self,
        name: str,
        rate: float,
        burst: int,
        database: Database,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._name = name
        self._rate = rate
        self._burst = burst
        self._size = max(1, burst // _PORTIONS)
        self._database = database
        self._clock = clock
        self._own = Buckets(rate, burst, clock)
        self._portions: LRUCache[str, _Portion] = LRUCache(_KEPT_SENDERS)
        self._lock = threading.Lock()
        self._threads = PerLoop(lambda: anyio.CapacityLimiter(_THREADS))  # full request threads must not delay it

    async def take(self, sender: str) -> float:
        """Take one token. Returns 0, or the seconds until there is one (then nothing was taken)."""
        known = self._take_known(sender)
        if known is not None:
            return known
        return await anyio.to_thread.run_sync(self._take_portion, sender, limiter=self._threads.get())

    def _take_known(self, sender: str) -> float | None:
        """As :meth:`take`, but only from what this process holds or knows; None if it must ask the database."""
        with self._lock:
            portion = self._portions.setdefault(sender, _Portion())
            if portion.tokens:
                portion.tokens -= 1
                return 0.0
            left = portion.refused_until - self._clock()
            return left if left > 0 else None

    def _take_portion(self, sender: str) -> float:
        known = self._take_known(sender)  # whoever waited for a thread before this request has asked meanwhile
        if known is not None:
            return known
        try:
            taken, wait = self._ask_database(_key(self._name, sender))
        except (SQLAlchemyError, ReadOnlyError):
            return self._own.take(sender)
        with self._lock:
            portion = self._portions.setdefault(sender, _Portion())
            if taken:
                portion.tokens += taken - 1
                return 0.0
            portion.refused_until = self._clock() + min(wait, _LONGEST_REFUSAL_SECONDS)
        return wait

    def _ask_database(self, key: str) -> tuple[int, float]:
        """How many tokens were taken, and the seconds to wait where none was."""
        now = self._clock()
        with self._database.writing() as session:
            for count in dict.fromkeys((self._size, 1)):
                if take_tokens(session, key, count, rate=self._rate, burst=self._burst, now=now):
                    return count, 0.0
            wait = seconds_until_token(session, key, rate=self._rate, burst=self._burst, now=now)
        return 0, max(wait, 1e-3)


def _key(name: str, sender: str) -> str:
    """The row's key: no address stands in the database."""
    return f"{name}:{hashlib.blake2b(sender.encode(), digest_size=16).hexdigest()}"
