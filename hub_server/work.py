"""A unit of work: the session whose transaction somebody else ends, the parts, and who asks."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from hub_server.caller import Caller
from hub_server.database import job_queue
from hub_server.parts import Parts


@dataclass(frozen=True)
class Work:
    """What an action works with. Actions never commit: the request's dependency or the worker does."""

    session: Session
    parts: Parts
    caller: Caller | None = None

    @property
    def now(self) -> datetime:
        """The hub's clock, in UTC."""
        return self.parts.clock.now()

    def queue(
        self, name: str, payload: dict[str, Any], *, unique_key: str | None = None, delay_seconds: float = 0
    ) -> str:
        """Queue a job by name, visible with this transaction's commit; returns its id.

        A job with the same ``unique_key`` that has not ended is returned instead of a second one.
        """
        order = job_queue.Order(
            name=name,
            payload=payload,
            unique_key=unique_key,
            run_after=self.now + timedelta(seconds=delay_seconds),
            max_attempts=self.parts.settings.worker.attempts,
        )
        return job_queue.queue_job(self.session, order, self.now)
