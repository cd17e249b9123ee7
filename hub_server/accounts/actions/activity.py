"""What an account did, for its own person to look through; of all accounts, for the operator."""

from hub_server.accounts.queries import accounts as account_queries
from hub_server.database import activity
from hub_server.kernel.caller import require_operator, require_person
from hub_server.kernel.cursors import check_limit, decode_cursor, encode_cursor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Activity
from schemas.page import Page


def list_own_activity(work: UnitOfWork, *, cursor: str | None = None, limit: int = 50) -> Page[Activity]:
    """What the caller's account changed, newest first. Raises ``PasswordNeededError`` for a token."""
    return _page(work, require_person(work.caller).account_id, cursor, limit)


def list_activity(
    work: UnitOfWork, *, account_id: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Activity]:
    """What accounts changed, newest first: for the operator."""
    require_operator(work.caller)
    return _page(work, account_id, cursor, limit)


def _page(work: UnitOfWork, account_id: str | None, cursor: str | None, limit: int) -> Page[Activity]:
    after = decode_cursor(cursor, "activity", str)
    rows = activity.page_of(work.session, account_id, after[0] if after else None, check_limit(limit) + 1)
    names = account_queries.names_of(work.session, {row.account_id for row in rows})
    return Page[Activity](
        items=[
            Activity(at=row.at, account=names[row.account_id], act=row.act, target=row.target, by=row.by)
            for row in rows[:limit]
        ],
        next=encode_cursor("activity", rows[limit - 1].id) if len(rows) > limit else None,
    )
