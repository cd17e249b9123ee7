"""Close a discussion, and open it again."""

from hub_server.catalog import actions as catalog
from hub_server.discussions import queries
from hub_server.discussions.actions.threads import facts_of, get_thread
from hub_server.discussions.errors import DiscussionClosedError
from hub_server.discussions.queries import Thread
from hub_server.discussions.rules import Right, right_used
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import Caller, require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope
from schemas.discussions import DiscussionSummary


def set_open(
    work: UnitOfWork, package_id: str, discussion_id: str, reason: str, *, is_open: bool
) -> tuple[DiscussionSummary, Right]:
    """Close or open a discussion, and say by which right.

    For its author, the package's owner and moderators (``moderation`` writes theirs down). Raises ``NotAllowedError``,
    ``DiscussionClosedError`` where it stands so already.
    """
    caller = require_caller(work.caller, Scope.CASES)
    get_thread(work, package_id, discussion_id)
    queries.lock_discussion(work.session, discussion_id)
    thread = get_thread(work, package_id, discussion_id)
    row = thread.row
    used = right_used(_rights(work, caller, thread), row.closed_as)
    if used is None:
        closer = f"{row.closed_by}, who closed it as {row.closed_as}," if is_open and row.closed_by else ""
        whose = closer or "its author, the package's owner"
        raise NotAllowedError(f"Only {whose} or a moderator {'opens' if is_open else 'closes'} this discussion.")
    if is_open == (not row.closed_by):
        raise DiscussionClosedError(f"The discussion is {'open' if is_open else f'closed by {row.closed_by}'} already.")
    row.closed_by, row.closed_as = ("", "") if is_open else (caller.name, used.value)
    row.closed_reason = "" if is_open else reason
    work.session.flush()
    return DiscussionSummary(**facts_of(thread)), used


def _rights(work: UnitOfWork, caller: Caller, thread: Thread) -> set[Right]:
    held = {
        Right.AUTHOR: thread.opening.author == caller.name,
        Right.OWNER: caller.maintains(catalog.owner_of(work, thread.row.package_id)),
        Right.MODERATOR: caller.is_moderator,
    }
    return {right for right, is_held in held.items() if is_held}
