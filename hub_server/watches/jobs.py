"""The worker's entry: one mail about all that waits for an account."""

import logging
from typing import Any

from hub_server.kernel.job import JobKind, RunningJob
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.watches import actions

_log = logging.getLogger("hub_server.watches")


def _send_news(job: RunningJob) -> None:
    """No transaction is open while the mail server is waited for. A worker that dies meanwhile sends the same again."""
    account = str(job.payload["account"])
    with job.reading() as work:
        news = actions.write_news(work, account)
    if news is None:
        return
    if news.mail is not None:
        job.services.mailer.send(news.mail)
    with job.finishing() as work:
        actions.note_mailed(work, account, news.until, was_sent=news.mail is not None)


def _say_it_was_not_sent(work: UnitOfWork, job_id: str, payload: dict[str, Any], reason: str) -> None:
    """Log it. What happened stays noted, and is in the next mail. No names, no addresses."""
    del work, payload
    _log.error("the news of job %s were not mailed: %s", job_id, reason)


KINDS = {JobName.SEND_NEWS: JobKind(run=_send_news, give_up=_say_it_was_not_sent)}
