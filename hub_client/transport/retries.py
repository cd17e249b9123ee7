"""When a request is sent again. A busy hub answers 429 or 503, with the seconds to wait in ``Retry-After``."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from httpx import Headers

TRIES = 4
"""How often one request is sent at most, including the first time."""
_BUSY = frozenset({429, 503})
_SHORTEST_PAUSE_SECONDS = 0.1  # A hub that says 0 must not be asked in a tight loop.
_WHOLE_SECONDS = re.compile(r"[0-9]{1,9}")


class Retries:
    """The tries of one request.

    A request is repeated only when doing it twice is harmless (``is_repeatable``). It is sent at most ``TRIES`` times
    and waits at most ``budget_seconds`` in all: a longer pause is the caller's to decide on.
    """

    def __init__(
        self, budget_seconds: float, *, is_repeatable: bool, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._budget_seconds = budget_seconds
        self._is_repeatable = is_repeatable
        self._now = now
        self._pauses: list[float] = []

    def pause_after(self, status: int, headers: Headers) -> tuple[float | None, str]:
        """Seconds to wait before the next try, or None with what to add to the hub's refusal (may be empty)."""
        asked = retry_after_seconds(headers.get("Retry-After", ""), self._now()) if status in _BUSY else None
        if asked is None:
            return None, ""
        if not self._is_repeatable:
            return None, f"the hub asks for a pause of {asked:.0f} s; this request is not repeated automatically"
        if len(self._pauses) + 1 >= TRIES:
            return None, f"sent {TRIES} times, {sum(self._pauses):.0f} s of pauses in between as the hub asked"
        pause = max(asked, _SHORTEST_PAUSE_SECONDS)
        if sum(self._pauses) + pause > self._budget_seconds:
            limit = f"the limit is {self._budget_seconds:.0f} s, VERIHUB_TIMEOUT_SECONDS"
            return None, f"the hub asks for a pause of {asked:.0f} s, which is not waited for ({limit}): try again then"
        self._pauses.append(pause)
        return pause, ""


def retry_after_seconds(text: str, now: datetime) -> float | None:
    """``Retry-After`` as seconds from ``now``: whole seconds or a date (RFC 9110, 10.2.3); None for anything else."""
    if _WHOLE_SECONDS.fullmatch(text.strip()):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
        return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
