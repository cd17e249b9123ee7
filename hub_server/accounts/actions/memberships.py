"""Members of an organisation: given another role, removed. An owner is lost only days later."""

from datetime import datetime

from hub_server.accounts.actions.account_rows import get_person
from hub_server.accounts.actions.invitations import invite
from hub_server.accounts.actions.lost_owners import (
    forget_end,
    is_lost_later,
    keep_owner,
    lose_later,
    take_lost_owner,
)
from hub_server.accounts.actions.notices import tell_owners
from hub_server.accounts.actions.organizations import (
    locked_organization,
    measure_with_members,
    organization_of,
    organization_row,
)
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import MembershipError
from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import role_of
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import Caller
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Member, Organization, Role


def invite_member(work: UnitOfWork, organization: str, member: Member) -> Organization:
    """Ask somebody in, or change the role of a member or of an invitation. Only owners may; an owner is lost later.

    Nobody is made a member without accepting: members own the organisation's packages too, so their suites, labels and
    votes do not count there. Raises ``MembershipError`` for who has declined lately.
    """
    owner = require_proof(work)
    row = locked_organization(work, organization)
    _require_owner_role(work, row, owner)
    account = get_person(work, member.account)
    membership = organization_queries.find_membership(work.session, row.id, account.id)
    if membership is None:
        invite(work, row, account, member.role, owner)
    elif membership.role == member.role:
        keep_owner(work, row, membership, account)
    elif is_lost_later(work, owner, account, membership):
        lose_later(work, row, membership, account, member.role.value)
    else:
        tell_owners(work, row, "role_changed", account.name)
        membership.role = member.role.value
        forget_end(membership)
    work.session.flush()
    _require_an_owner(work, row)
    return organization_of(work, row)


def remove_member(work: UnitOfWork, organization: str, account_name: str) -> Organization:
    """Remove somebody, or take an invitation back.

    Owners may remove anybody, another owner with a delay; everybody may leave; the last owner stays.
    """
    caller = require_proof(work)
    row = locked_organization(work, organization)
    if account_name != caller.name:
        _require_owner_role(work, row, caller)
    account = get_person(work, account_name)
    invitation = organization_queries.find_invitation(work.session, row.id, account.id)
    if invitation is not None and invitation.declined_at is None:
        work.session.delete(invitation)
    membership = organization_queries.find_membership(work.session, row.id, account.id)
    if membership is not None and is_lost_later(work, caller, account, membership):
        lose_later(work, row, membership, account, "")
    elif membership is not None:
        _remove(work, row, account.id, account.name)
    work.session.flush()
    _require_an_owner(work, row)
    return organization_of(work, row)


def _remove(work: UnitOfWork, row: AccountRow, account_id: str, name: str) -> None:
    tell_owners(work, row, "member_removed", name)
    organization_queries.remove_membership(work.session, row.id, account_id)
    organization_queries.add_former_member(work.session, row.id, name, work.now)
    measure_with_members(work, row.name, name)


def lose_owner(work: UnitOfWork, organization_id: str, account_id: str, at: datetime) -> None:
    """In a job: an owner is lost, as another owner asked for some days ago, unless it was stopped. One always stays."""
    found = take_lost_owner(work, organization_id, account_id, at)
    membership = organization_queries.find_membership(work.session, organization_id, account_id)
    if found is None or membership is None:
        return
    organization, name, role = found
    row = organization_row(work, organization)
    if organization_queries.owners_of(work.session, row.id) == [name]:
        return
    if role:
        tell_owners(work, row, "role_changed", name)
        membership.role = role
    else:
        _remove(work, row, account_id, name)


def _require_owner_role(work: UnitOfWork, row: AccountRow, caller: Caller) -> None:
    membership = organization_queries.find_membership(work.session, row.id, caller.account_id)
    if membership is None or role_of(membership.role) is not Role.OWNER:
        raise NotAllowedError(f"Only an owner of {row.name} may change its members.")


def _require_an_owner(work: UnitOfWork, row: AccountRow) -> None:
    if not organization_queries.owners_of(work.session, row.id):
        raise MembershipError(f"{row.name} would be left without an owner: make somebody else an owner first.")
