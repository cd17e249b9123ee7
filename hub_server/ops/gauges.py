"""The numbers that a scrape reads from the database. It may be away or slow: then the scrape goes on without them."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future

from sqlalchemy.exc import SQLAlchemyError

from hub_server.database import job_queue
from hub_server.errors import UnavailableError
from hub_server.kernel.job_names import JobName
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.mirror import actions as mirror
from hub_server.ops.row_counts import RowCounts
from hub_server.web.metrics import gauges_text
from hub_server.webhooks import actions as webhooks

PATIENCE_SECONDS = 5.0  # Prometheus gives a scrape 10
GIVEN_UP_SECONDS = 300.0
"""So long a look keeps others off. One whose connection was lost without a word hangs for hours, when the database has
long answered everybody else; each that is given up keeps a thread and a connection until then.
"""
_MAIL_JOBS = (JobName.SEND_RESET, JobName.SEND_CONFIRMATION, JobName.SEND_NOTICE, JobName.SEND_NEWS)


class _Look:
    """One look into the database, in a thread of its own."""

    def __init__(self, read: Callable[[], str]) -> None:
        self._read = read
        self._began = time.monotonic()
        self._found: Future[str] = Future()
        # A daemon: a process that ends does not wait for a database.
        threading.Thread(target=self._fill, daemon=True, name="metrics").start()

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or is given up."""
        return self._found.done() or time.monotonic() - self._began > GIVEN_UP_SECONDS

    def found(self) -> str:
        """Waits until it has had ``PATIENCE_SECONDS``, however late this is asked."""
        return self._found.result(max(0.0, self._began + PATIENCE_SECONDS - time.monotonic()))

    def _fill(self) -> None:
        try:
            self._found.set_result(self._read())
        except BaseException as error:  # noqa: BLE001 -- whoever waits for the result gets it
            self._found.set_exception(error)


class DatabaseGauges:
    """Looks into the database, one look at a time in each process."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._row_counts = RowCounts()
        self._lock = threading.Lock()
        self._look: _Look | None = None

    def text(self) -> str | None:
        """In Prometheus' text format; None where the database does not answer in time.

        A look that takes longer goes on, and what it counted is there for the next one. Until it ends, or is given up,
        no other begins, so scrapes of a database that hangs do not pile up. The patience is the look's: if each scrape
        had its own, a hundred at once would wait for one another, and the last for minutes.
        """
        with self._lock:
            look = self._look
            if look is None or look.is_over:
                try:
                    look = self._look = _Look(self._read)
                except RuntimeError:  # no thread is left in this process
                    return None
        try:
            return look.found()
        except (TimeoutError, SQLAlchemyError, UnavailableError):
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
