"""Jobs are rows: queued with the transaction that wants them, claimed by lock, kept by a lease.

A job runs at least once. Its last transaction also ends it, and only while its lease is still held (``finish_job``), so
an abandoned job that another worker took over can never end twice.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Index, and_, func, or_, select, text, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base, new_id

QUEUED, RUNNING, DONE, FAILED = "queued", "running", "done", "failed"


class LeaseLostError(Exception):
    """Another worker has this job now: whatever this one did since its last transaction does not count."""


class JobRow(Base):
    """One job. ``attempts`` counts claims; ``owner`` is ``host:pid:chance`` of the worker that holds the lease."""

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_state_run_after", "state", "run_after"),
        # one live job a key
        Index(
            "uq_jobs_unique_key",
            "unique_key",
            unique=True,
            sqlite_where=text("state IN ('queued', 'running')"),
            postgresql_where=text("state IN ('queued', 'running')"),
        ),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    payload: Mapped[dict[str, Any]]
    unique_key: Mapped[str | None]
    state: Mapped[str] = mapped_column(default=QUEUED)
    note: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0)
    max_attempts: Mapped[int]
    run_after: Mapped[datetime]
    owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


@dataclass(frozen=True)
class Order:
    """A job to queue."""

    name: str
    payload: dict[str, Any]
    run_after: datetime
    unique_key: str | None = None
    max_attempts: int = 5


@dataclass(frozen=True)
class Claim:
    """A job that this worker holds. ``is_last_straw``: it was abandoned too often and must be buried, not run."""

    id: str
    name: str
    payload: dict[str, Any]
    attempt: int
    owner: str
    is_last_straw: bool = False


def queue_job(session: Session, order: Order, now: datetime) -> str:
    """Queue ``order`` and return the job's id; a live job with the same unique key is returned instead."""
    if order.unique_key is not None:
        live = select(JobRow.id).where(JobRow.unique_key == order.unique_key, JobRow.state.in_((QUEUED, RUNNING)))
        if (existing := session.scalar(live)) is not None:
            return existing
    row = JobRow(
        id=new_id(now),
        name=order.name,
        payload=order.payload,
        unique_key=order.unique_key,
        max_attempts=order.max_attempts,
        run_after=order.run_after,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row.id


def claim_job(session: Session, names: list[str], owner: str, now: datetime, lease_seconds: float) -> Claim | None:
    """Claim the oldest job that is due or abandoned. On PostgreSQL rows that another worker is claiming are skipped."""
    due = and_(JobRow.state == QUEUED, JobRow.run_after <= now)
    abandoned = and_(JobRow.state == RUNNING, JobRow.lease_until < now)
    oldest = (
        select(JobRow)
        .where(JobRow.name.in_(names), or_(due, abandoned))
        .order_by(JobRow.run_after, JobRow.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    job = session.scalar(oldest)
    if job is None:
        return None
    is_last_straw = job.state == RUNNING and job.attempts >= job.max_attempts
    job.state = RUNNING
    job.owner = owner
    job.lease_until = now + timedelta(seconds=lease_seconds)
    job.attempts += 1
    return Claim(job.id, job.name, dict(job.payload), job.attempts, owner, is_last_straw)


def extend_lease(session: Session, claim: Claim, lease_until: datetime) -> None:
    """Keep the job. Raises :class:`LeaseLostError` when somebody else has it."""
    _update_held(session, claim, lease_until=lease_until)


def finish_job(session: Session, claim: Claim, now: datetime) -> None:
    """End the job with this transaction. Raises :class:`LeaseLostError` when somebody else has it."""
    _update_held(session, claim, state=DONE, owner=None, lease_until=None, ended_at=now, note="")


def fail_job(session: Session, claim: Claim, now: datetime, reason: str) -> None:
    """Give the job up for good."""
    _update_held(session, claim, state=FAILED, owner=None, lease_until=None, ended_at=now, note=reason[:4000])


def return_job(
    session: Session, claim: Claim, run_after: datetime, reason: str, *, counts_as_attempt: bool = True
) -> None:
    """Put the job back into the queue, to be run after ``run_after``."""
    attempts = claim.attempt if counts_as_attempt else claim.attempt - 1
    _update_held(
        session, claim, state=QUEUED, owner=None, lease_until=None,
        run_after=run_after, attempts=attempts, note=reason[:4000],
    )  # fmt: skip


def return_jobs_of(session: Session, owners: list[str], now: datetime) -> int:
    """Queue again what workers that are known to be dead still hold; returns how many jobs."""
    freed = (
        update(JobRow)
        .where(JobRow.state == RUNNING, JobRow.owner.in_(owners))
        .values(lease_until=now - timedelta(seconds=1))
    )
    return _rows(session.execute(freed))


def holders(session: Session) -> list[str]:
    """Owners of running jobs."""
    return [o for o in session.scalars(select(JobRow.owner).where(JobRow.state == RUNNING).distinct()) if o]


def find_job(session: Session, job_id: str) -> JobRow | None:
    """The job's row, or None."""
    return session.get(JobRow, job_id)


def count_jobs(session: Session) -> dict[str, int]:
    """Jobs by state."""
    return dict(session.execute(select(JobRow.state, func.count()).group_by(JobRow.state)).all())


def _update_held(session: Session, claim: Claim, **values: Any) -> None:
    held = update(JobRow).where(
        JobRow.id == claim.id,
        JobRow.state == RUNNING,
        JobRow.owner == claim.owner,
        JobRow.attempts == claim.attempt,
    )
    if _rows(session.execute(held.values(**values))) != 1:
        raise LeaseLostError(f"job {claim.id} ({claim.name}) was taken over")


def _rows(result: Any) -> int:
    assert isinstance(result, CursorResult)
    return result.rowcount
