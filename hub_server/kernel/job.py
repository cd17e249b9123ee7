"""A running job: its payload, short transactions while it runs, and one that ends it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any

from hub_server.database import job_queue
from hub_server.database.visibility import EVERYTHING, Viewer, private_owners
from hub_server.errors import UnavailableError
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork


@dataclass
class RunningJob:
    """What an entry in a feature's ``jobs.py`` gets."""

    lease: job_queue.Lease
    services: Services
    is_finished: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    """Set when the job's time is over or another worker has it. Further work of it does not count."""

    def check_not_over(self) -> None:
        """Raise ``LeaseLostError`` when the job is over. Work that takes long asks this from time to time, and ends."""
        if self.over.is_set():
            raise job_queue.LeaseLostError(f"job {self.lease.id} ({self.lease.name}) is over")

    @property
    def payload(self) -> dict[str, Any]:
        """What was queued."""
        return self.lease.payload

    @cached_property
    def viewer(self) -> Viewer:
        """What everybody sees, and what is private to the owner of the private package that the job is about.

        So what a job writes about a public package speaks of no private one.
        """
        with self.services.database.reading(sees=EVERYTHING) as session:
            return Viewer(private_owners(session, self.payload))

    @contextmanager
    def reading(self) -> Iterator[UnitOfWork]:
        """A transaction that only reads. Raises ``LeaseLostError`` when the job is over."""
        self.check_not_over()
        with self.services.database.reading(sees=self.viewer) as session:
            yield UnitOfWork(session, self.services, on_behalf_of=self.lease.account)

    @contextmanager
    def writing(self) -> Iterator[UnitOfWork]:
        """A transaction while the job runs, for progress. Raises ``LeaseLostError`` when another worker has the job."""
        with self.services.database.writing(sees=self.viewer) as session:
            job_queue.extend_lease(session, self.lease, self._lease_until())
            yield UnitOfWork(session, self.services, on_behalf_of=self.lease.account)

    @contextmanager
    def finishing(self) -> Iterator[UnitOfWork]:
        """The transaction that ends the job. Its effect and its end are committed together.

        Raises ``UnavailableError``, and the job runs again, where its package was made public meanwhile: what it found
        may speak of what is private.
        """
        with self.services.database.writing(sees=self.viewer) as session:
            if private_owners(session, self.payload, kept=True) != self.viewer.owners:
                raise UnavailableError("The package was made public meanwhile: this begins anew.")
            work = UnitOfWork(session, self.services, on_behalf_of=self.lease.account)
            yield work
            job_queue.finish_job(session, self.lease, work.now)
        self.is_finished = True

    def heartbeat(self) -> None:
        """Keep the lease. Raises ``LeaseLostError`` when another worker has the job."""
        with self.services.database.writing(sees=self.viewer) as session:
            job_queue.extend_lease(session, self.lease, self._lease_until())

    def _lease_until(self) -> Any:
        return self.services.clock.now() + timedelta(seconds=self.services.settings.worker.lease_seconds)


@dataclass(frozen=True)
class JobKind:
    """How a feature runs one kind of job, and what it records when the job is given up."""

    run: Callable[[RunningJob], None]
    give_up: Callable[[UnitOfWork, str, dict[str, Any], str], None]
    """(work, job id, payload, reason)"""
