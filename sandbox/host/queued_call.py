"""One call on its way through a dispatcher: its bytes, its level, its limit, and who is told."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from schemas.verdict import ErrorKind


@dataclass(frozen=True)
class CallError:
    """Why a call has no reply."""

    kind: ErrorKind
    message: str


Outcome = bytes | CallError
"""A reply's JSON, or why there is none."""


class QueuedCall:
    """One call. ``deliver(call, outcome, microseconds)`` is called once, unless it is cancelled.

    Calls of one level and one limit may share a group, so the limit is kept in whole milliseconds, and a limit that
    is not a positive number is refused here: NaN differs from itself and would never leave the queue.
    """

    __slots__ = (
        "deliver",
        "first_level",
        "first_sent_at",
        "is_cancelled",
        "is_told",
        "level",
        "losses",
        "payload",
        "queued_at",
        "returns",
        "timeout_seconds",
    )

    def __init__(
        self,
        payload: bytes,
        level: int,
        timeout_seconds: float,
        deliver: "Callable[[QueuedCall, Outcome, int], None]",
    ) -> None:
        self.payload = payload
        self.level = self.first_level = level
        self.timeout_seconds = _whole_milliseconds(timeout_seconds)
        self.deliver = deliver
        self.losses = 0
        """How many boxes were lost while they worked on it."""
        self.returns = 0
        """How often a box sent it back without having begun."""
        self.is_cancelled = self.is_told = False
        self.queued_at = self.first_sent_at = 0.0
        """By the dispatcher's clock."""

    @property
    def is_open(self) -> bool:
        """Whether somebody still waits for it."""
        return not (self.is_told or self.is_cancelled)

    def tell(self, outcome: Outcome, microseconds: int) -> None:
        """Hand the outcome over, once; nobody is told of a call that was cancelled."""
        if not (self.is_told or self.is_cancelled):
            self.is_told = True
            self.deliver(self, outcome, microseconds)


@lru_cache(maxsize=64)  # most calls have the limit of the call before them
def _whole_milliseconds(seconds: float) -> float:
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"a call's limit must be a positive number of seconds, not {seconds}")
    return max(1, round(seconds * 1000)) / 1000
