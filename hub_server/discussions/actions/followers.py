"""Following a discussion: mail about replies, to who wrote in it, to the package's owners, and to who asks for it."""

from hub_server.accounts import actions as accounts
from hub_server.accounts.models import PERSON
from hub_server.discussions.actions.threads import get_thread
from hub_server.kernel.caller import Caller, require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.watches import actions as watches
from schemas.account import Scope


def follow(work: UnitOfWork, package_id: str, discussion_id: str) -> None:
    """Mail the caller replies in a discussion. Harmless to repeat."""
    caller = require_caller(work.caller, Scope.CASES)
    watches.follow_discussion(work, caller.account_id, get_thread(work, package_id, discussion_id).row.id)


def unfollow(work: UnitOfWork, package_id: str, discussion_id: str) -> None:
    """Mail them no more. Harmless where they are not."""
    caller = require_caller(work.caller, Scope.CASES)
    watches.unfollow_discussion(work, caller.account_id, get_thread(work, package_id, discussion_id).row.id)


def is_following(work: UnitOfWork, discussion_id: str) -> bool:
    """Whether the caller is mailed replies. False without one."""
    return work.caller is not None and watches.follows_discussion(work, work.caller.account_id, discussion_id)


def follow_with_owners(work: UnitOfWork, caller: Caller, discussion_id: str, owner: str = "") -> None:
    """Mail replies to whoever writes; with ``owner``, also to who decides about what that owner has."""
    watches.follow_discussion(work, caller.account_id, discussion_id)
    for name in accounts.governors_of(work, owner) if owner else ():
        row = accounts.find_any_account(work, name)
        if row is not None and row.kind == PERSON:
            watches.follow_discussion(work, row.id, discussion_id)
