"""Tables of evaluations: what models did on benchmarks, and the report computed from it."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class BenchmarkResultsRow(Base):
    """One submission. ``outcomes``: task's id -> [successes, attempts]."""

    __tablename__ = "benchmark_results"
    __table_args__ = (
        UniqueConstraint(
            "release_id", "environment", "model", "harness", "submitted_by", name="uq_benchmark_results_place"
        ),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), index=True)
    benchmark: Mapped[str]
    version: Mapped[str]
    environment: Mapped[str]
    environment_version: Mapped[str]
    model: Mapped[str]
    harness: Mapped[str]
    run_id: Mapped[str | None]
    submitted_by: Mapped[str]
    submitted_at: Mapped[datetime]
    outcomes: Mapped[dict[str, Any]]
    left_out: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """Attempts that count for nothing, by why: ``failed``, ``unjudged``."""


class BenchmarkReportRow(Base):
    """The newest report of a benchmark's release; ``computed_at``: when its results were last read."""

    __tablename__ = "benchmark_reports"

    release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    computed_at: Mapped[datetime]
    report: Mapped[dict[str, Any]]


class BenchmarkRelationRow(Base):
    """How the rankings of two benchmarks agree; each pair once, the smaller release id first."""

    __tablename__ = "benchmark_relations"

    first_release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    second_release_id: Mapped[str] = mapped_column(ForeignKey("releases.id"), primary_key=True, index=True)
    computed_at: Mapped[datetime]
    relation: Mapped[dict[str, Any]]
