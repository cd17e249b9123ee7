"""The one clock."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time in UTC, with a time zone."""

    def now(self) -> datetime: ...
