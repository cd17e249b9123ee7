"""The job queue: one row a job, in the hub's own database.

- A job is queued in the transaction that wants it, so neither exists without the other.
- A worker claims a job by a row lock and holds it by a lease, which it extends while it works.
- A job may start more than once, but it ends once: its last transaction also ends it (``finish_job``), and fails when
  the lease was lost.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Index, Select, and_, delete, func, or_, select, text, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Mapped, Session, mapped_column

from hub_server.database.base import Base, new_id

KEPT_ENDED_FOR = timedelta(days=30)  # chosen: pages say why a job failed
MOST_LOSSES = 24
"""So often the worker of a job may be lost. With the growing pauses that takes most of a day."""
_LOSS_PAUSE, _LONGEST_LOSS_PAUSE = timedelta(seconds=15), timedelta(hours=1)
_NEVER = datetime.min.replace(tzinfo=UTC)
QUEUED, RUNNING, DONE, FAILED = "queued", "running", "done", "failed"


class LeaseLostError(Exception):
    """Another worker has this job now. What this worker did since its last transaction does not count."""


class JobRow(Base):
    """One job. ``attempts`` counts claims; ``owner`` is ``host:pid:nonce`` of the worker that holds the lease."""

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_state_run_after", "state", "run_after"),
        Index("ix_jobs_account_ended_at", "account", "ended_at"),
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
    account: Mapped[str] = mapped_column(default="")
    """The account that caused it, by name; empty for what the hub does by itself."""
    payload: Mapped[dict[str, Any]]
    unique_key: Mapped[str | None]
    state: Mapped[str] = mapped_column(default=QUEUED)
    note: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0)
    losses: Mapped[int] = mapped_column(default=0)
    """How often its worker was lost while it ran. A restart of the hub does that too: it is no failure of the job."""
    max_attempts: Mapped[int]
    run_after: Mapped[datetime]
    owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


@dataclass(frozen=True)
class JobSpec:
    """What is to run: the name of a job, its payload, and from when on."""

    name: str
    payload: dict[str, Any]
    run_after: datetime
    max_attempts: int
    unique_key: str | None = None
    account: str = ""


@dataclass(frozen=True)
class Lease:
    """A job that one worker holds for a time.

    ``losses``: workers that were lost with it. ``is_exhausted``: too many, so it must be given up and not run.
    """

    id: str
    name: str
    payload: dict[str, Any]
    attempt: int
    owner: str
    is_exhausted: bool = False
    losses: int = 0
    account: str = ""


def queue_job(session: Session, spec: JobSpec, now: datetime) -> str:
    """Queue ``spec`` and return the job's id; a live job with the same unique key is returned instead."""
    if spec.unique_key is not None:
        live = select(JobRow.id).where(JobRow.unique_key == spec.unique_key, JobRow.state.in_((QUEUED, RUNNING)))
        if (existing := session.scalar(live)) is not None:
            return existing
    row = JobRow(
        id=new_id(now),
        name=spec.name,
        account=spec.account,
        payload=spec.payload,
        unique_key=spec.unique_key,
        max_attempts=spec.max_attempts,
        run_after=spec.run_after,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row.id


def has_claimable(session: Session, names: list[str], now: datetime) -> bool:
    """Whether :func:`claim_job` could find one. It only reads: a worker without work then locks nothing."""
    found = select(JobRow.id).where(JobRow.name.in_(names), _claimable(now)).limit(1)
    return session.scalar(found) is not None


def claim_job(
    session: Session,
    names: list[str],
    owner: str,
    now: datetime,
    lease_seconds: float,
    jobs_each: int | None = None,
) -> Lease | None:
    """Claim a job that is due or abandoned. On PostgreSQL rows that another worker is claiming are skipped.

    Accounts take turns, so that one account's thousand jobs do not delay another's only one. No account runs more than
    ``jobs_each`` at a time (None: no limit), except the hub itself.
    """
    for account in _accounts_in_turn(session, names, now, jobs_each):
        oldest = (
            select(JobRow)
            .where(JobRow.account == account, JobRow.name.in_(names), _claimable(now))
            .order_by(JobRow.run_after, JobRow.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        while (job := session.scalar(oldest)) is not None:
            if not _is_put_off(job, now):
                return _claim(job, owner, now + timedelta(seconds=lease_seconds))
            session.flush()
    return None


def _is_put_off(job: JobRow, now: datetime) -> bool:
    """Count a lost worker. From the second on the job waits, longer each time.

    A job that ends its worker then ends few of them, and a hub that restarts again and again buries no innocent job.
    """
    if job.state != RUNNING:
        return False
    job.losses += 1
    if job.losses == 1 or job.losses >= MOST_LOSSES:
        return False
    pause = min(_LOSS_PAUSE * 2 ** (job.losses - 2), _LONGEST_LOSS_PAUSE)
    job.state, job.owner, job.lease_until, job.run_after = QUEUED, None, None, now + pause
    job.note = f"Its worker was lost {job.losses} times; it is tried again in {pause.total_seconds():.0f} s."
    return True


def _claimable(now: datetime) -> ColumnElement[bool]:
    due = and_(JobRow.state == QUEUED, JobRow.run_after <= now)
    abandoned = and_(JobRow.state == RUNNING, JobRow.lease_until < now)
    return or_(due, abandoned)


def _accounts_in_turn(session: Session, names: list[str], now: datetime, jobs_each: int | None) -> list[str]:
    """Accounts with a job to claim: fewest running jobs first, then whoever was served longest ago."""
    first_due = select(JobRow.account, func.min(JobRow.run_after)).where(JobRow.name.in_(names), _claimable(now))
    due = _by_account(session, first_due)
    if not due:
        return []
    mine = JobRow.account.in_(due)
    is_running = and_(JobRow.state == RUNNING, JobRow.lease_until >= now)
    running = _by_account(session, select(JobRow.account, func.count()).where(mine, is_running))
    served = _by_account(session, select(JobRow.account, func.max(JobRow.ended_at)).where(mine))
    may_run = [one for one in due if not one or jobs_each is None or running.get(one, 0) < jobs_each]
    return sorted(may_run, key=lambda one: (running.get(one, 0), served[one] or _NEVER, due[one]))


def _by_account(session: Session, statement: "Select[str, Any]") -> dict[str, Any]:
    return dict(session.execute(statement.group_by(JobRow.account)).all())


def _claim(job: JobRow, owner: str, lease_until: datetime) -> Lease:
    is_exhausted = job.state == RUNNING and job.losses >= MOST_LOSSES
    job.state = RUNNING
    job.owner = owner
    job.lease_until = lease_until
    job.attempts += 1
    payload = dict(job.payload)
    return Lease(job.id, job.name, payload, job.attempts, owner, is_exhausted, job.losses, account=job.account)


def extend_lease(session: Session, lease: Lease, lease_until: datetime) -> None:
    """Keep the job. Raises :class:`LeaseLostError` when somebody else has it."""
    _update_held(session, lease, lease_until=lease_until)


def finish_job(session: Session, lease: Lease, now: datetime) -> None:
    """End the job with this transaction. Raises :class:`LeaseLostError` when somebody else has it."""
    _update_held(session, lease, state=DONE, owner=None, lease_until=None, ended_at=now, note="")


def forget_payload(session: Session, job_id: str) -> None:
    """Keep no longer what a job was queued with, where that names a person. For a job that ends."""
    session.execute(update(JobRow).where(JobRow.id == job_id).values(payload={}))


def fail_job(session: Session, lease: Lease, now: datetime, reason: str) -> None:
    """Give the job up for good."""
    _update_held(session, lease, state=FAILED, owner=None, lease_until=None, ended_at=now, note=reason[:4000])


def return_job(
    session: Session, lease: Lease, run_after: datetime, reason: str, *, counts_as_attempt: bool = True
) -> None:
    """Put the job back into the queue, to be run after ``run_after``."""
    attempts = lease.attempt if counts_as_attempt else lease.attempt - 1
    _update_held(
        session, lease, state=QUEUED, owner=None, lease_until=None,
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


def forget_ended_jobs(session: Session, now: datetime) -> None:
    """Delete jobs that ended a month ago. What they did is in the rows of their feature."""
    session.execute(delete(JobRow).where(JobRow.ended_at < now - KEPT_ENDED_FOR))


def count_jobs(session: Session) -> dict[str, int]:
    """Jobs by state."""
    return dict(session.execute(select(JobRow.state, func.count()).group_by(JobRow.state)).all())


def count_jobs_named(session: Session, names: Collection[str]) -> dict[str, int]:
    """Jobs of these kinds by state."""
    counted = select(JobRow.state, func.count()).where(JobRow.name.in_(sorted(names))).group_by(JobRow.state)
    return dict(session.execute(counted).all())


def _update_held(session: Session, lease: Lease, **values: Any) -> None:
    held = update(JobRow).where(
        JobRow.id == lease.id,
        JobRow.state == RUNNING,
        JobRow.owner == lease.owner,
        JobRow.attempts == lease.attempt,
    )
    if _rows(session.execute(held.values(**values))) != 1:
        raise LeaseLostError(f"job {lease.id} ({lease.name}) was taken over")


def _rows(result: Any) -> int:
    assert isinstance(result, CursorResult)
    return result.rowcount
