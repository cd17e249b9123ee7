"""The worker's entry: send links by mail. A job that is run again sends again, and its older link ends."""

import logging
from functools import partial
from typing import Any

from hub_server.accounts.actions.mailed_links import CONFIRMATION, RESET, find_receivers, write_mail
from hub_server.accounts.actions.notices import write_notice
from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork

_log = logging.getLogger("hub_server.accounts")


def _send(purpose: str, job: RunningJob) -> None:
    """Mail each receiver a link. The secret is kept before it is sent: a link that arrives works.

    No transaction is open while a mail server is waited for.
    """
    with job.reading() as work:
        receivers = find_receivers(work, str(job.payload["account"]), purpose)
    for account_id in receivers:
        with job.writing() as work:
            mail = write_mail(work, account_id, purpose, job.lease.id)
        if mail is not None:
            job.services.mailer.send(mail)


def _send_notice(job: RunningJob) -> None:
    job.services.mailer.send(write_notice(job.services.settings.public_url, job.payload))


def _say_it_was_not_sent(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """Log that a mail was not sent, since the person who waits for it cannot be told. No names, no addresses."""
    del work, payload
    _log.error("the mail of job %s was not sent: %s", job_id, reason)


KINDS = {
    JobName.SEND_RESET: JobKind(run=partial(_send, RESET), give_up=_say_it_was_not_sent),
    JobName.SEND_CONFIRMATION: JobKind(run=partial(_send, CONFIRMATION), give_up=_say_it_was_not_sent),
    JobName.SEND_NOTICE: JobKind(run=_send_notice, give_up=_say_it_was_not_sent),
}
