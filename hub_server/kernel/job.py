"""A job while it runs: its payload, short transactions in between, and one that ends it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from hub_server.database import job_queue
from hub_server.kernel.parts import Parts
from hub_server.kernel.work import Work


@dataclass
class RunningJob:
    """What an entry in a feature's ``jobs.py`` gets."""

    lease: job_queue.Lease
    parts: Parts
    is_finished: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    """Set when the job's time is over or another worker has it: what it still does counts for nothing."""

    def check_not_over(self) -> None:
        """Raise ``LeaseLostError`` when the job is over. Work that takes long asks this from time to time, and ends."""
        if self.over.is_set():
            raise job_queue.LeaseLostError(f"job {self.lease.id} ({self.lease.name}) is over")

    @property
    def payload(self) -> dict[str, Any]:
        """What was queued."""
        return self.lease.payload

    @contextmanager
    def reading(self) -> Iterator[Work]:
        """A transaction that only reads. Raises ``LeaseLostError`` when the job is over."""
        self.check_not_over()
        with self.parts.database.reading() as session:
            yield Work(session, self.parts, on_behalf_of=self.lease.account)

    @contextmanager
    def writing(self) -> Iterator[Work]:
        """A transaction in between, for progress. Raises ``LeaseLostError`` when another worker has the job."""
        with self.parts.database.writing() as session:
            job_queue.extend_lease(session, self.lease, self._lease_until())
            yield Work(session, self.parts, on_behalf_of=self.lease.account)

    @contextmanager
    def finishing(self) -> Iterator[Work]:
        """The transaction that ends the job: its effect and its end are one."""
        with self.parts.database.writing() as session:
            work = Work(session, self.parts, on_behalf_of=self.lease.account)
            yield work
            job_queue.finish_job(session, self.lease, work.now)
        self.is_finished = True

    def heartbeat(self) -> None:
        """Keep the lease. Raises ``LeaseLostError`` when another worker has the job."""
        with self.parts.database.writing() as session:
            job_queue.extend_lease(session, self.lease, self._lease_until())

    def _lease_until(self) -> Any:
        return self.parts.clock.now() + timedelta(seconds=self.parts.settings.worker.lease_seconds)


@dataclass(frozen=True)
class JobKind:
    """How a feature runs one kind of job, and what it records when the job is given up."""

    run: Callable[[RunningJob], None]
    give_up: Callable[[Work, str, dict[str, Any], str], None]
    """(work, job id, payload, reason)"""
