"""When a message is tried again, when it is given up, and when its webhook is switched off."""

from datetime import datetime, timedelta

PAUSES = tuple(timedelta(seconds=s) for s in (5, 60, 600, 3600, 6 * 3600, 24 * 3600))
"""The pause before each further try: seven tries in 31 hours."""
DISABLED_AFTER = timedelta(days=5)
"""A failed try switches a webhook off when nothing has arrived there for so long."""
GONE = 410  # HTTP's word for: never send here again


def is_accepted(status: int) -> bool:
    """Whether the receiver took the message. A redirect is no acceptance, and is not followed."""
    return 200 <= status < 300


def pause_after(attempts: int) -> timedelta | None:
    """How long to wait after so many tries that failed; None: it is given up."""
    return PAUSES[attempts - 1] if attempts <= len(PAUSES) else None


def why_disabled(status: int | None, failing_since: datetime, now: datetime) -> str:
    """Why a failure switches the webhook off, in one sentence; empty when it does not."""
    if status == GONE:
        return "Its receiver answered 410 (gone)."
    if now - failing_since >= DISABLED_AFTER:
        return f"Nothing arrived for {DISABLED_AFTER.days} days."
    return ""
