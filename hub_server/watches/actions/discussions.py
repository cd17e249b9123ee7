"""Following one discussion: whoever wrote in it is mailed replies, until they have enough."""

import secrets

from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.watches import queries
from hub_server.watches.models import DiscussionWatchRow, WatcherRow
from schemas.watches import MailPace


def follow_discussion(work: UnitOfWork, account_id: str, discussion_id: str) -> None:
    """Mail an account replies in a discussion, as often as it is mailed about what it watches. Harmless to repeat.

    ``discussions`` decides who sees the discussion. Two transactions may do this for one account at once.
    """
    if queries.find_watcher(work.session, account_id) is None:
        watcher = WatcherRow(
            account_id=account_id,
            pace=MailPace.HOUR.value,
            unsubscribe_code=secrets.token_urlsafe(32),
            earliest_at=work.now,
        )
        queries.add_if_absent(work.session, watcher)
    if not follows_discussion(work, account_id, discussion_id):
        queries.add_if_absent(work.session, DiscussionWatchRow(account_id=account_id, discussion_id=discussion_id))


def unfollow_discussion(work: UnitOfWork, account_id: str, discussion_id: str) -> None:
    """Mail it no more. Harmless where it is not."""
    row = queries.find_discussion_watch(work.session, account_id, discussion_id)
    if row is not None:
        work.session.delete(row)


def follows_discussion(work: UnitOfWork, account_id: str, discussion_id: str) -> bool:
    """Whether the account is mailed replies."""
    return queries.find_discussion_watch(work.session, account_id, discussion_id) is not None
