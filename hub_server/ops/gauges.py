"""The numbers that a scrape reads from the database. It may be away or slow: then the scrape goes on without them."""

from collections.abc import Mapping

from sqlalchemy.exc import SQLAlchemyError

from hub_server.database import job_queue
from hub_server.errors import UnavailableError
from hub_server.kernel.job_names import JobName
from hub_server.kernel.looks import LookError, Looks
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror import actions as mirror
from hub_server.ops.row_counts import RowCounts
from hub_server.web.metrics import gauges_text
from hub_server.webhooks import actions as webhooks

PATIENCE_SECONDS = 5.0  # Prometheus gives a scrape 10
_MAIL_JOBS = (JobName.SEND_RESET, JobName.SEND_CONFIRMATION, JobName.SEND_NOTICE, JobName.SEND_NEWS)


class DatabaseGauges:
    """Looks into the database, one look at a time in each process."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._row_counts = RowCounts()
        self._looks = Looks(self._read, patience_seconds=PATIENCE_SECONDS, name="metrics")

    def text(self) -> str | None:
        """In Prometheus' text format; None where the database does not answer in time."""
        try:
            return self._looks.found()
        except (LookError, SQLAlchemyError, UnavailableError):
            return None

    def _read(self) -> str:
        with self._services.database.reading() as session:
            return gauges_text(_gauges(UnitOfWork(session, self._services), self._row_counts))


def _gauges(work: UnitOfWork, row_counts: RowCounts) -> tuple[tuple[str, str, str, Mapping[str, float]], ...]:
    return (
        ("verihub_jobs", "Jobs.", "state", job_queue.count_jobs(work.session)),
        ("verihub_mails", "Mails that wait or were tried, by the state of their job.", "state", _mails(work)),
        ("verihub_webhook_deliveries", "Messages of the last 30 days.", "state", webhooks.count_deliveries(work)),
        ("verihub_webhooks", "Webhooks, switched on or off.", "state", webhooks.count_webhooks(work)),
        ("verihub_rows", "Rows in the database; many are counted every five minutes.", "table", row_counts.of(work)),
        *mirror.gauges(work),
    )


def _mails(work: UnitOfWork) -> dict[str, int]:
    return job_queue.count_jobs_named(work.session, _MAIL_JOBS)
