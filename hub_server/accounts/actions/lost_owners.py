"""One owner of an organisation removes another, which takes effect only after a delay.

So a thief of one owner's account does not get the whole organisation at once. All owners are mailed when a removal is
scheduled. Each of them, also the one who is to be removed, can cancel it by giving that owner the owner's role again.
The removal lapses if whoever scheduled it is suspended or is no longer an owner.
"""

from datetime import datetime, timedelta

from hub_server.accounts.actions.notices import tell_owners
from hub_server.accounts.models import AccountRow, MembershipRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import role_of
from hub_server.kernel.caller import Caller
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Role


def is_lost_later(work: UnitOfWork, caller: Caller, account: AccountRow, membership: MembershipRow) -> bool:
    """Whether the removal of this owner is delayed. It is not for an account that a moderator suspended, nor for one
    that leaves by itself.

    An account that leaves is delayed too where all other owners are new. Otherwise an intruder could make a second
    account an owner, have the stolen one leave, and its person could cancel nothing.
    """
    hours = work.services.settings.owner_change_hours
    if role_of(membership.role) is not Role.OWNER or account.suspended_reason is not None or hours == 0:
        return False
    if account.id != caller.account_id:
        return True
    rows = organization_queries.memberships_in(work.session, membership.organization_id)
    joined = [row.created_at for row in rows if role_of(row.role) is Role.OWNER and row.account_id != account.id]
    return bool(joined) and min(joined) > work.now - timedelta(hours=hours)


def lose_later(work: UnitOfWork, row: AccountRow, membership: MembershipRow, account: AccountRow, role: str) -> None:
    """Schedule that an owner gets another ``role``, or is removed (""). Asked for again, it happens no later.

    A removal that another owner scheduled stays that owner's. Otherwise the second to ask would profit from a delay
    that ran before.
    """
    assert work.caller is not None
    if membership.ends_at is not None:
        if membership.ends_by == work.caller.name:
            membership.ends_as = role
        return
    membership.ends_as, membership.ends_by = role, work.caller.name
    wait = timedelta(hours=work.services.settings.owner_change_hours)
    membership.ends_at = work.now + wait
    until = membership.ends_at.isoformat()
    payload = {"organization": row.id, "account": account.id, "at": until}
    work.queue(
        JobName.LOSE_OWNER,
        payload,
        unique_key=f"lose:{row.id}:{account.id}:{until}",
        delay_seconds=wait.total_seconds(),
    )
    tell_owners(work, row, "owner_leaves", account.name, membership.ends_at.isoformat(timespec="minutes"))


def keep_owner(work: UnitOfWork, row: AccountRow, membership: MembershipRow, account: AccountRow) -> None:
    """Cancel the removal that is scheduled, if one is, and mail all owners."""
    if membership.ends_at is None:
        return
    forget_end(membership)
    tell_owners(work, row, "owner_stays", account.name)


def forget_end(membership: MembershipRow) -> None:
    """Clear what is scheduled for a membership. Nobody is mailed."""
    membership.ends_at = membership.ends_as = membership.ends_by = None


def take_lost_owner(
    work: UnitOfWork, organization_id: str, account_id: str, at: datetime
) -> tuple[str, str, str] | None:
    """In a job: (organisation, account, new role; "" for none) of the removal that is due at ``at``; None: it was
    cancelled, or who scheduled it is no owner any more.

    It is cleared, and the organisation stays locked until the transaction ends.
    """
    account_queries.lock_account(work.session, organization_id)
    membership = organization_queries.find_membership(work.session, organization_id, account_id)
    if membership is None or membership.ends_at != at:
        return None
    role, by = membership.ends_as or "", account_queries.find_account(work.session, membership.ends_by or "")
    forget_end(membership)
    asker = organization_queries.find_membership(work.session, organization_id, by.id) if by is not None else None
    if by is None or by.suspended_reason is not None or asker is None or role_of(asker.role) is not Role.OWNER:
        return None
    names = account_queries.names_of(work.session, [organization_id, account_id])
    return names[organization_id], names[account_id], role
