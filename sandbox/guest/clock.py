"""How long a call may take: a limit for each call, one for a call group, and one for waiting for solutions."""

import time
from collections.abc import Callable

LEAST_PAUSE_SECONDS = 1800.0
PAUSE_FACTOR = 10
"""Waiting for solutions may take this many times the limit of a call, and at least half an hour. Normally the host ends
a call much earlier, since it limits how long solutions run. This limit is for a host that never answers.
"""


class Clock:
    """Runs out when a call has had ``call_seconds``, or ``count`` calls have had that together.

    Time spent waiting for solutions does not count, up to a total of :attr:`pause_seconds`: a call that asks again and
    again must end too. ``now`` returns the time in seconds.
    """

    def __init__(self, call_seconds: float, count: int = 1, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._call_seconds = call_seconds
        self.total_seconds = call_seconds * count
        self.pause_seconds = max(LEAST_PAUSE_SECONDS, PAUSE_FACTOR * call_seconds)
        self._started = now()
        self._call_ends = self._started + call_seconds
        self._all_end = self._started + self.total_seconds
        self._paused_at: float | None = None

    @property
    def passed(self) -> float:
        """Seconds since the start, pauses included."""
        return self._now() - self._started

    def remaining(self) -> float:
        """Seconds until it runs out. While it is paused: seconds until the total of all pauses is too long."""
        if self._paused_at is not None:
            return self._paused_at + self.pause_seconds - self._now()
        return min(self._call_ends, self._all_end) - self._now()

    def call_answered(self) -> None:
        """The next call's time begins."""
        self._call_ends = self._now() + self._call_seconds

    def pause(self) -> None:
        """A solution runs elsewhere. A second pause before :meth:`resume` changes nothing."""
        if self._paused_at is None:
            self._paused_at = self._now()

    def resume(self) -> None:
        """The solution's answer is here."""
        if self._paused_at is None:
            return
        pause = self._now() - self._paused_at
        self._paused_at = None
        self.pause_seconds -= pause
        self._call_ends += pause
        self._all_end += pause
