"""Tables of moderation: reports, and the log of what was done."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class ReportRow(Base):
    """What somebody reported. ``state``: open, acted or dismissed."""

    __tablename__ = "reports"
    __table_args__ = (Index("ix_reports_state_id", "state", "id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str | None] = mapped_column(ForeignKey("packages.id"), index=True)
    version: Mapped[str | None]
    collection: Mapped[str] = mapped_column(default="")
    """The collection that it is about, and no package then; or empty."""
    account: Mapped[str] = mapped_column(default="")
    """The person or organisation that it is about, and neither package nor collection then; or empty."""
    reason: Mapped[str]
    text: Mapped[str]
    discussion: Mapped[str] = mapped_column(default="")
    """The discussion that it is about, or empty."""
    post: Mapped[int | None]
    reporter: Mapped[str]
    created_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(default="open")
    decision: Mapped[str] = mapped_column(default="")
    decided_by: Mapped[str] = mapped_column(default="")
    decided_at: Mapped[datetime | None]


class ModerationEventRow(Base):
    """One thing that a moderator or the operator did. Rows are only ever added."""

    __tablename__ = "moderation_events"

    id: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    actor: Mapped[str]
    action: Mapped[str]
    package_id: Mapped[str | None] = mapped_column(ForeignKey("packages.id"), index=True)
    version: Mapped[str | None]
    reason: Mapped[str]
    case_id: Mapped[str] = mapped_column(default="")
    """The counter-example that it was about, or empty."""
    account: Mapped[str] = mapped_column(default="")
    """The account or name that it was about, or empty."""
    collection: Mapped[str] = mapped_column(default="")
    """The collection that it was about, or empty."""
    discussion: Mapped[str] = mapped_column(default="")
    """The discussion that it was about, or empty."""
    post: Mapped[int | None]
