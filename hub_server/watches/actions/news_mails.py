"""What the worker does: note what happened for whoever watches, and write the mails about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hub_server.accounts import actions as accounts
from hub_server.database.events import EventRow
from hub_server.database.visibility import EVERYTHING, Viewer, seeing
from hub_server.events.actions import event_of
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.mailer import Mail
from hub_server.watches import queries
from hub_server.watches.rules.limits import GATHERED_FOR, KEPT, PAUSES
from hub_server.watches.rules.mail_text import MOST_LINES, MOST_OF_OWNER, TOLD, subject_of, text_of
from schemas.watches import MailPace

_MAILS_AT_ONCE = 100  # chosen: queued in one transaction; the rest in the next round


@dataclass(frozen=True)
class NewsMail:
    """A mail about all events up to the number ``until``. ``mail`` None: it sees none, or may not be mailed."""

    mail: Mail | None
    until: int


def note_news(work: UnitOfWork, rows: Sequence[EventRow]) -> None:
    """For the worker, which follows events: note them for whoever watches."""
    for row in rows:
        if row.kind in TOLD:
            queries.add_news(work.session, row, work.now + GATHERED_FOR)


def has_due_mails(work: UnitOfWork) -> bool:
    """Whether somebody is to be mailed now."""
    return queries.has_due(work.session, work.now)


def queue_due_mails(work: UnitOfWork) -> None:
    """For the worker: a job for each account that is to be mailed now."""
    for row in queries.due_watchers(work.session, work.now, _MAILS_AT_ONCE):
        row.next_mail_at = None
        work.queue(JobName.SEND_NEWS, {"account": row.account_id}, unique_key=f"news:{row.account_id}")


def write_news(work: UnitOfWork, account_id: str) -> NewsMail | None:
    """In a job: the mail to an account about what it sees now of what waits. None: nothing waits."""
    watcher = queries.find_watcher(work.session, account_id)
    with seeing(work.session, EVERYTHING):
        until = queries.newest_news(work.session, account_id)
    if watcher is None or not until:
        return None
    address = accounts.confirmed_address(work, account_id)
    with seeing(work.session, Viewer(accounts.owners_of_account(work, account_id))):
        events = [event_of(row) for row in queries.news_of(work.session, account_id, MOST_LINES + 1, MOST_OF_OWNER + 1)]
    if address is None or not events or watcher.pace == MailPace.NEVER:
        return NewsMail(None, until)
    url = work.services.settings.public_url.rstrip("/")
    unsubscribe_url = f"{url}/unsubscribe/{watcher.unsubscribe_code}"
    text = text_of(events, url, unsubscribe_url)
    mail = Mail(to=address, subject=subject_of(events), text=text, unsubscribe_url=unsubscribe_url)
    return NewsMail(mail, until)


def note_mailed(work: UnitOfWork, account_id: str, until: int, *, was_sent: bool) -> None:
    """In a job: these events were mailed, or are none of the account's; the next mail waits for its pace."""
    queries.forget_news(work.session, account_id, until)
    row = queries.find_watcher(work.session, account_id, lock=True)
    if row is None or row.pace == MailPace.NEVER:
        return
    if was_sent:
        row.earliest_at = work.now + PAUSES[MailPace(row.pace)]
    with seeing(work.session, EVERYTHING):
        if queries.newest_news(work.session, account_id):  # it came while the mail was sent
            row.next_mail_at = max(row.earliest_at, work.now + GATHERED_FOR)


def forget_old_news(work: UnitOfWork) -> None:
    """Delete news that could not be mailed for long. Called by the worker."""
    queries.forget_news_before(work.session, work.now - KEPT)
