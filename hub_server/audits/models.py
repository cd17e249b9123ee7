"""Tables of audits and counter-examples."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class AuditRow(Base):
    """One measurement of one release. Its id is that of the job that makes it."""

    __tablename__ = "audits"
    __table_args__ = (Index("ix_audits_package_id_id", "package_id", "id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"))
    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), index=True)
    version: Mapped[str]
    state: Mapped[str]
    done_cases: Mapped[int] = mapped_column(default=0)
    total_cases: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    report: Mapped[dict[str, Any] | None]
    replayed: Mapped[list[str]] = mapped_column(default=list)
    """Counter-examples that stood in its suite when it began."""


class CounterExampleRow(Base):
    """An audit case that somebody submitted.

    ``case_key``: SHA-256 of task and response, so that nobody submits it twice.
    """

    __tablename__ = "counter_examples"
    __table_args__ = (
        UniqueConstraint("package_id", "case_key"),
        Index("ix_counter_examples_package_id_id", "package_id", "id"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"))
    case_key: Mapped[str]
    case: Mapped[dict[str, Any]]
    state: Mapped[str]
    submitted_by: Mapped[str]
    submitted_at: Mapped[datetime]
    against: Mapped[str]
    fixed_in: Mapped[str | None]
    verdicts: Mapped[dict[str, Any]]
    error: Mapped[str] = mapped_column(default="")
    """Why the case could not be judged, or empty."""
    dispute_reason: Mapped[str] = mapped_column(default="")
    disputed_by: Mapped[str] = mapped_column(default="")
    state_before_dispute: Mapped[str] = mapped_column(default="")
