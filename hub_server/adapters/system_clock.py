"""The machine's clock."""

from datetime import UTC, datetime


class SystemClock:
    """Time as the machine tells it."""

    def now(self) -> datetime:
        return datetime.now(UTC)
