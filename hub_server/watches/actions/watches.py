"""What a person can do: watch, say how often to be mailed, end it."""

import secrets

from hub_server.accounts import actions as accounts
from hub_server.accounts.queries import accounts as account_queries
from hub_server.catalog import actions as catalog
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import Caller, require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.watches import queries
from hub_server.watches.errors import TooManyWatchesError, UnsubscribeLinkError
from hub_server.watches.models import WatcherRow, WatchRow
from hub_server.watches.rules.limits import MOST_OF_ACCOUNT
from schemas.account import Scope
from schemas.watches import MailPace, Watch, Watching


def watch(work: UnitOfWork, owner: str, package_id: str | None) -> None:
    """Mail the caller what happens to a package, or to all of an owner. Harmless to repeat."""
    caller = _watcher(work)
    if package_id is None:
        accounts.get_any_account(work, owner)
    else:
        catalog.get_package_row(work, package_id)
    account_queries.lock_account(work.session, caller.account_id)  # of two requests at once the second waits here
    if queries.find_watch(work.session, caller.account_id, owner, package_id or "") is not None:
        return
    if queries.count_watches(work.session, caller.account_id) >= MOST_OF_ACCOUNT:
        raise TooManyWatchesError(f"You watch {MOST_OF_ACCOUNT} things, which is the most: end one first.")
    _row_of(work, caller)
    row = WatchRow(account_id=caller.account_id, owner=owner, package_id=package_id or "", since=work.now)
    work.session.add(row)
    work.session.flush()


def unwatch(work: UnitOfWork, owner: str, package_id: str | None) -> None:
    """Watch it no more. Harmless where it is not watched."""
    row = queries.find_watch(work.session, _watcher(work).account_id, owner, package_id or "")
    if row is not None:
        work.session.delete(row)


def is_watching(work: UnitOfWork, owner: str, package_id: str | None) -> bool:
    """Whether the caller watches it. False without one."""
    if work.caller is None:
        return False
    return queries.find_watch(work.session, work.caller.account_id, owner, package_id or "") is not None


def list_watches(work: UnitOfWork) -> Watching:
    """All that the caller watches; the names of private packages may be among it."""
    require_caller(work.caller, Scope.READ)
    account_id = _watcher(work).account_id
    watcher = queries.find_watcher(work.session, account_id)
    pace = MailPace(watcher.pace) if watcher is not None else MailPace.HOUR
    items = [
        Watch(owner=row.owner, package=row.package_id or None, since=row.since)
        for row in queries.watches_of(work.session, account_id)
    ]
    is_mailed = pace is not MailPace.NEVER and accounts.confirmed_address(work, account_id) is not None
    return Watching(items=items, pace=pace, is_mailed=is_mailed)


def set_pace(work: UnitOfWork, pace: MailPace) -> None:
    """How often to mail the caller. ``never`` keeps what is watched, and forgets what was not mailed yet."""
    row = _row_of(work, _watcher(work))
    _set_pace(work, row, pace)


def _set_pace(work: UnitOfWork, row: WatcherRow, pace: MailPace) -> None:
    row.pace = pace.value
    if pace is MailPace.NEVER:
        row.next_mail_at = None
        queries.forget_news(work.session, row.account_id)


def check_unsubscribe_link(work: UnitOfWork, code: str) -> None:
    """Raise ``UnsubscribeLinkError`` unless the link is that of somebody's mails."""
    if queries.find_watcher_of_code(work.session, code) is None:
        raise UnsubscribeLinkError("This link is not from a mail of this hub.")


def unsubscribe(work: UnitOfWork, code: str) -> None:
    """Send no more of these mails to whoever has this link. It needs no login, and can be done twice."""
    check_unsubscribe_link(work, code)
    row = queries.find_watcher_of_code(work.session, code)
    assert row is not None
    _set_pace(work, row, MailPace.NEVER)


def _watcher(work: UnitOfWork) -> Caller:
    caller = require_caller(work.caller, Scope.READ)
    if caller.only:
        raise NotAllowedError("A workflow's token publishes releases, and watches nothing: use your account's own.")
    return caller


def _row_of(work: UnitOfWork, caller: Caller) -> WatcherRow:
    row = queries.find_watcher(work.session, caller.account_id, lock=True)
    if row is None:
        row = WatcherRow(
            account_id=caller.account_id,
            pace=MailPace.HOUR.value,
            unsubscribe_code=secrets.token_urlsafe(32),
            earliest_at=work.now,
        )
        work.session.add(row)
        work.session.flush()
    return row
