"""Tables of what accounts watch, how they are told, and news that wait for a mail."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class WatchRow(Base):
    """An account watches a package, or all of an owner (``package_id`` empty)."""

    __tablename__ = "watches"
    __table_args__ = (Index("ix_watches_owner_package_id", "owner", "package_id"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    owner: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(primary_key=True, default="", index=True)
    since: Mapped[datetime]


class WatcherRow(Base):
    """An account that watches something."""

    __tablename__ = "watchers"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    pace: Mapped[str]
    unsubscribe_code: Mapped[str] = mapped_column(unique=True)
    """In every mail. It only ends mails, so it is stored as it is: each mail needs it."""
    earliest_at: Mapped[datetime]
    """No mail goes out before: the last one is not long ago."""
    next_mail_at: Mapped[datetime | None] = mapped_column(index=True)
    """When news are mailed; None: there are none, or their mail is being written."""


class DiscussionWatchRow(Base):
    """An account that is mailed the replies in a discussion."""

    __tablename__ = "discussion_watches"

    account_id: Mapped[str] = mapped_column(ForeignKey("watchers.account_id"), primary_key=True)
    discussion_id: Mapped[str] = mapped_column(ForeignKey("discussions.id"), primary_key=True, index=True)


class NewsRow(Base):
    """An event that an account has not been mailed of yet. What the account sees is asked when the mail is written."""

    __tablename__ = "news"

    account_id: Mapped[str] = mapped_column(ForeignKey("watchers.account_id"), primary_key=True)
    event_number: Mapped[int] = mapped_column(BigInteger, ForeignKey("events.number"), primary_key=True)
