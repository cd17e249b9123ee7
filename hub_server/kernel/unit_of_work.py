"""The unit of work: a database session, the services of the hub, and the caller."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from hub_server.database import events, job_queue
from hub_server.database.visibility import owner_of
from hub_server.kernel.caller import Caller
from hub_server.kernel.job_names import JobName
from hub_server.kernel.pace import take_pace
from hub_server.kernel.services import Services
from schemas.events import EventKind


@dataclass(frozen=True)
class UnitOfWork:
    """The unit of work that every action gets. An action never commits: the route or the worker does."""

    session: Session
    services: Services
    caller: Caller | None = None
    on_behalf_of: str = ""
    """In a job: the account that caused it. A job that this one queues counts as that account's."""

    @property
    def now(self) -> datetime:
        """The hub's clock, in UTC."""
        return self.services.clock.now()

    @property
    def today(self) -> str:
        """The day that a download or an upload counts for: ``2026-11-21``, in UTC wherever the clock is."""
        return self.now.astimezone(UTC).date().isoformat()

    @property
    def sees_hidden(self) -> bool:
        """Whether the caller reads what moderators hid: only moderators do."""
        return self.caller is not None and self.caller.is_moderator

    def queue(
        self, name: JobName, payload: dict[str, Any], *, unique_key: str | None = None, delay_seconds: float = 0
    ) -> str:
        """Queue a job, visible with this transaction's commit; returns its id.

        A job with the same ``unique_key`` that has not ended is returned instead of a second one.
        """
        spec = job_queue.JobSpec(
            name=name,
            payload=payload,
            unique_key=unique_key,
            run_after=self.now + timedelta(seconds=delay_seconds),
            account=self.caller.name if self.caller is not None else self.on_behalf_of,
            max_attempts=self.services.settings.worker.attempts,
        )
        return job_queue.queue_job(self.session, spec, self.now)

    def announce(self, kind: EventKind, package_id: str, version: str | None = None, **facts: str) -> None:
        """Tell others, with this transaction's commit, what happened to a package. ``facts``: no text of a person."""
        if kind is not EventKind.RELEASE_PUBLISHED:  # publishes have a limit of their own
            self._count_event()
        owner = owner_of(self.session, package_id)
        event = events.NewEvent(kind, self.now, owner, package_id=package_id, version=version, facts=facts)
        events.announce(self.session, event)

    def announce_run(self, kind: EventKind, run_id: str, owner: str) -> None:
        """Tell others what happened to a run."""
        self._count_event()
        events.announce(self.session, events.NewEvent(kind, self.now, owner, run_id=run_id))

    def _count_event(self) -> None:
        limits = self.services.settings.limits
        burst, per_hour = limits.events_burst, limits.events_per_hour
        take_pace(self.session, self.caller, "events", 1, burst=burst, per_hour=per_hour, now=self.now)
