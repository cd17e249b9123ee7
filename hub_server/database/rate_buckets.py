"""Rate limits that all serving processes of a hub count together: one row a sender and kind of request.

The row holds one number: the time at which the sender's bucket is full again. Taking a token moves it on by
``1 / rate`` seconds, and is refused when it would then lie more than a whole bucket ahead (the generic cell rate
algorithm, ITU-T I.371). So taking is one statement, and two processes cannot both take the last token.
"""

from sqlalchemy import Float, delete, text, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base


class RateBucketRow(Base):
    """A bucket that is not full. One without a row is."""

    __tablename__ = "rate_buckets"

    key: Mapped[str] = mapped_column(primary_key=True)
    full_at: Mapped[float] = mapped_column(Float(53), index=True)
    """Seconds since 1970."""


_TAKE = text("""
    INSERT INTO rate_buckets (key, full_at) VALUES (:key, :now + :cost)
    ON CONFLICT (key) DO UPDATE
    SET full_at = :cost + CASE WHEN rate_buckets.full_at > :now THEN rate_buckets.full_at ELSE :now END
    WHERE :cost + CASE WHEN rate_buckets.full_at > :now THEN rate_buckets.full_at ELSE :now END <= :now + :size
    RETURNING full_at
""")


def take_tokens(session: Session, key: str, count: int, *, rate: float, burst: int, now: float) -> bool:
    """Take ``count`` tokens of the bucket ``key``; False, and nothing taken, where it holds fewer.

    ``rate`` is tokens a second, ``burst`` what a full bucket holds, ``now`` seconds since 1970.
    """
    values = {"key": key, "now": now, "cost": count / rate, "size": burst / rate}
    return session.execute(_TAKE, values).first() is not None


def give_back_tokens(session: Session, key: str, count: int, *, rate: float) -> None:
    """Put tokens back that were taken and not needed; a bucket that holds all of its own stays full."""
    bucket = update(RateBucketRow).where(RateBucketRow.key == key)
    session.execute(bucket.values(full_at=RateBucketRow.full_at - count / rate))


def refill(session: Session, key: str) -> None:
    """Make the bucket full."""
    session.execute(delete(RateBucketRow).where(RateBucketRow.key == key))


def seconds_until_token(session: Session, key: str, *, rate: float, burst: int, now: float) -> float:
    """How long it takes until the bucket holds a token; 0 where it does."""
    row = session.get(RateBucketRow, key)
    return 0.0 if row is None else max(0.0, row.full_at + (1 - burst) / rate - now)


def forget_full_buckets(session: Session, now: float) -> None:
    """Delete the rows of buckets that are full again."""
    session.execute(delete(RateBucketRow).where(RateBucketRow.full_at < now))
