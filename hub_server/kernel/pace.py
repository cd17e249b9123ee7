"""How much one account may add to other people's lists and mailboxes in a time. An act beyond that is refused.

It is counted in the act's own transaction, so an act that is refused or undone does not count.
"""

from datetime import datetime

from sqlalchemy.orm import Session

from hub_server.database import rate_buckets
from hub_server.errors import TooManyRequestsError
from hub_server.kernel.caller import Caller

_HOUR = 3600.0


def take_pace(
    session: Session, caller: Caller | None, what: str, count: int, *, burst: int, per_hour: int, now: datetime
) -> None:
    """Count ``count`` of ``what`` for the caller. Raises ``TooManyRequestsError``.

    Jobs, moderators and the operator are not counted: what they do follows from an act that was, or must not wait.
    """
    if caller is None or caller.is_moderator or caller.is_operator or count == 0:
        return
    key, rate, moment = f"{what}:{caller.account_id}", per_hour / _HOUR, now.timestamp()
    if rate_buckets.take_tokens(session, key, count, rate=rate, burst=max(burst, count), now=moment):
        return
    wait = rate_buckets.seconds_until_token(session, key, rate=rate, burst=burst, now=moment)
    raise TooManyRequestsError(
        f"You have caused {burst} {what} lately, and may cause {per_hour} an hour from now on: try again later.",
        retry_after_seconds=max(wait, 1.0),
    )
