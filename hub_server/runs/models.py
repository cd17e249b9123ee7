"""Tables of runs: what was pinned, metrics by step, rollouts."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, Integer
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class RunRow(Base):
    """A training or evaluation run."""

    __tablename__ = "runs"
    __table_args__ = (
        Index("ix_runs_last_reward_id", "last_reward", "id"),
        Index("ix_runs_owner_stored_bytes", "owner", "stored_bytes"),
        *(Index(f"ix_runs_{by}_id", by, "id") for by in ("owner", "model", "kind", "state")),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    owner: Mapped[str]
    is_private: Mapped[bool] = mapped_column(default=False)
    """Whether only its owner sees it (``database.visibility``)."""
    kind: Mapped[str]
    state: Mapped[str]
    model: Mapped[str]
    recipe: Mapped[str]
    packages: Mapped[list[dict[str, Any]]]
    rewards: Mapped[dict[str, Any]]
    config: Mapped[dict[str, Any]]
    summary: Mapped[dict[str, Any]]
    note: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    last_step: Mapped[int | None]
    last_reward: Mapped[float | None]
    """The metric ``reward`` at ``last_reward_step``, the highest step that has one."""
    last_reward_step: Mapped[int | None] = mapped_column(BigInteger)
    outcomes: Mapped[list[dict[str, Any]]] = mapped_column(default=list)
    """An evaluation's pass rates, one for each pair of environment and harness."""
    stored_bytes: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    """What is kept of it, with its metrics and rollouts (``actions.room``)."""


class RunPackageRow(Base):
    """That a run used a package."""

    __tablename__ = "run_packages"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    package_id: Mapped[str] = mapped_column(primary_key=True, index=True)


class MetricPointRow(Base):
    """Metrics of one step."""

    __tablename__ = "metric_points"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    step: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    at: Mapped[datetime | None]
    metrics: Mapped[dict[str, Any]]


class RolloutLineRow(Base):
    """One sampled response with its vector."""

    __tablename__ = "rollouts"
    __table_args__ = (
        Index("ix_rollouts_run_id_id", "run_id", "id"),
        Index("ix_rollouts_run_id_step", "run_id", "step"),
    )

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"))
    step: Mapped[int] = mapped_column(BigInteger)
    phase: Mapped[str]
    package: Mapped[str]
    task_id: Mapped[str]
    prompt: Mapped[str]
    response: Mapped[str]
    rewards: Mapped[dict[str, Any]]
    held_out: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """The verdict of the held-out verifier, which is never trained on; empty where the run has none."""
    error: Mapped[str]
    advantage: Mapped[float | None]
    tokens: Mapped[int | None]


class TaskRateRow(Base):
    """How often models solved a task of an environment, in evaluations that everybody sees."""

    __tablename__ = "task_rates"

    package_id: Mapped[str] = mapped_column(ForeignKey("packages.id"), primary_key=True)
    task_id: Mapped[str] = mapped_column(primary_key=True)
    major: Mapped[str]
    """The major version of the releases that were tried."""
    successes: Mapped[int]
    attempts: Mapped[int]
    models: Mapped[int]
