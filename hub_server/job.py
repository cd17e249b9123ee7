"""A job while it runs: its payload, short transactions on the way, and one that ends it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hub_server.database import job_queue
from hub_server.parts import Parts
from hub_server.work import Work


@dataclass
class RunningJob:
    """What an entry in a feature's ``jobs.py`` gets."""

    claim: job_queue.Claim
    parts: Parts
    is_finished: bool = False

    @property
    def payload(self) -> dict[str, Any]:
        """What was queued."""
        return self.claim.payload

    @contextmanager
    def reading(self) -> Iterator[Work]:
        """A look at the database."""
        with self.parts.database.reading() as session:
            yield Work(session, self.parts)

    @contextmanager
    def writing(self) -> Iterator[Work]:
        """A transaction on the way (progress). Raises ``LeaseLostError`` when another worker has the job."""
        with self.parts.database.writing() as session:
            job_queue.extend_lease(session, self.claim, self._lease_until())
            yield Work(session, self.parts)

    @contextmanager
    def finishing(self) -> Iterator[Work]:
        """The transaction that ends the job: its effect and its end are one."""
        with self.parts.database.writing() as session:
            work = Work(session, self.parts)
            yield work
            job_queue.finish_job(session, self.claim, work.now)
        self.is_finished = True

    def heartbeat(self) -> None:
        """Keep the lease. Raises ``LeaseLostError`` when another worker has the job."""
        with self.parts.database.writing() as session:
            job_queue.extend_lease(session, self.claim, self._lease_until())

    def _lease_until(self) -> Any:
        return self.parts.clock.now() + timedelta(seconds=self.parts.settings.worker.lease_seconds)


@dataclass(frozen=True)
class JobKind:
    """How a feature runs one kind of job, and what it writes down when the job is given up for good."""

    run: Callable[[RunningJob], None]
    bury: Callable[[Work, str, dict[str, Any], str], None]
    """(work, job id, payload, reason)"""
