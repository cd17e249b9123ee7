"""The worker's entry: send mails, and change owners when it is time.

A job that sends a link and runs twice sends two mails. The link in the first one is then no longer valid.
"""

import logging
from datetime import datetime
from functools import partial
from typing import Any

from hub_server.accounts.actions.mailed_links import CONFIRMATION, RESET, find_receivers, write_mail
from hub_server.accounts.actions.memberships import lose_owner
from hub_server.accounts.actions.notices import write_notice
from hub_server.database.job_queue import forget_payload
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
    _forget_receiver(job)


def _send_notice(job: RunningJob) -> None:
    job.services.mailer.send(write_notice(job.services.settings.public_url, job.payload))
    _forget_receiver(job)


def _forget_receiver(job: RunningJob) -> None:
    """End the job without its payload: an address is kept no longer than its mail waits, and ended jobs are kept."""
    with job.finishing() as work:
        forget_payload(work.session, job.lease.id)


def _lose_owner(job: RunningJob) -> None:
    with job.finishing() as work:
        asked_for = datetime.fromisoformat(str(job.payload["at"]))
        lose_owner(work, str(job.payload["organization"]), str(job.payload["account"]), asked_for)


def _say_it_was_not_changed(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    del work, payload
    _log.error("the change of owners of job %s was not made: %s", job_id, reason)


def _say_it_was_not_sent(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """Log that a mail was not sent, since the person who waits for it cannot be told. No names, no addresses."""
    del payload
    forget_payload(work.session, job_id)
    _log.error("the mail of job %s was not sent: %s", job_id, reason)


KINDS = {
    JobName.SEND_RESET: JobKind(run=partial(_send, RESET), give_up=_say_it_was_not_sent),
    JobName.SEND_CONFIRMATION: JobKind(run=partial(_send, CONFIRMATION), give_up=_say_it_was_not_sent),
    JobName.LOSE_OWNER: JobKind(run=_lose_owner, give_up=_say_it_was_not_changed),
    JobName.SEND_NOTICE: JobKind(run=_send_notice, give_up=_say_it_was_not_sent),
}
