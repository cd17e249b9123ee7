"""Work that becomes due with time, without any request: delete expired rows, end old disputes, count what trends."""

from hub_server.accounts import actions as accounts
from hub_server.audits import actions as audits
from hub_server.catalog import actions as catalog
from hub_server.database import activity, idempotency, job_queue, rate_buckets
from hub_server.database.visibility import EVERYTHING
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.publishing import actions as publishing
from hub_server.trusted_publishing import actions as trusted_publishing
from hub_server.watches import actions as watches
from hub_server.webhooks import actions as webhooks


def delete_expired(services: Services) -> None:
    """Delete rows of no use any more, end old disputes, measure old releases again, and see what trends."""
    with services.database.writing(sees=EVERYTHING) as session:
        work = UnitOfWork(session, services)
        idempotency.forget_old_answers(session, work.now)
        job_queue.forget_ended_jobs(session, work.now)
        activity.forget_old(session, work.now)
        rate_buckets.forget_full_buckets(session, work.now.timestamp())
        accounts.forget_expired(work)
        audits.end_old_disputes(work)
        audits.queue_overdue_audits(work)
        publishing.forget_old_uploads(work)
        trusted_publishing.forget_used_identities(work)
        webhooks.forget_old_deliveries(work)
        watches.forget_old_news(work)
    publishing.delete_old_parts(services)
    with services.database.reading(sees=EVERYTHING) as session:  # it reads much, and holds up no writer
        changed = catalog.changed_trends(UnitOfWork(session, services))
    with services.database.writing(sees=EVERYTHING) as session:
        catalog.keep_trends(UnitOfWork(session, services), changed)
