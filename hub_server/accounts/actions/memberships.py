"""Members of an organisation: asked in, accepted, given another role, removed. An owner is lost only days later."""

from datetime import datetime

from hub_server.accounts.actions.account_rows import get_person
from hub_server.accounts.actions.lost_owners import (
    forget_end,
    is_lost_later,
    keep_owner,
    lose_later,
    take_lost_owner,
)
from hub_server.accounts.actions.notices import tell_owners
from hub_server.accounts.actions.organizations import organization_of, organization_row
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import (
    InvitationNotFoundError,
    MembershipError,
)
from hub_server.accounts.models import AccountRow, InvitationRow, MembershipRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import (
    DECLINED_FOR,
    MOST_INVITATIONS,
    may_invite_again,
    role_of,
)
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import Caller, require_person
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import (
    Invitation,
    Member,
    Organization,
    Role,
)


def invite_member(work: UnitOfWork, organization: str, member: Member) -> Organization:
    """Ask somebody in, or change the role of a member or of an invitation. Only owners may; an owner is lost later.

    Nobody is made a member without accepting: members own the organisation's packages too, so their suites, labels and
    votes do not count there. Raises ``MembershipError`` for who has declined lately.
    """
    owner = require_proof(work)
    row = _locked_row(work, organization)
    _require_owner_role(work, row, owner)
    account = get_person(work, member.account)
    membership = organization_queries.find_membership(work.session, row.id, account.id)
    if membership is None:
        _invite(work, row, account, member.role, owner)
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


def _invite(work: UnitOfWork, row: AccountRow, account: AccountRow, role: Role, owner: Caller) -> None:
    found = organization_queries.find_invitation(work.session, row.id, account.id)
    if found is None:
        if len(organization_queries.invited_to(work.session, row.id)) >= MOST_INVITATIONS:
            raise MembershipError(f"{MOST_INVITATIONS} invitations have no answer yet: take some back first.")
        found = InvitationRow(organization_id=row.id, account_id=account.id)
        work.session.add(found)
    elif not may_invite_again(found.declined_at, work.now):
        raise MembershipError(
            f"{account.name} has declined: {row.name} may ask again after {DECLINED_FOR.days} days, or {account.name} "
            "asks you."
        )
    found.role, found.invited_by, found.created_at, found.declined_at = role.value, owner.name, work.now, None


def list_invitations(work: UnitOfWork) -> list[Invitation]:
    """What the caller was asked into and has not answered."""
    caller = require_person(work.caller)
    return [
        Invitation(
            organization=name,
            role=role_of(row.role),
            invited_by=row.invited_by,
            created_at=row.created_at,
        )
        for name, row in organization_queries.invitations_of(work.session, caller.account_id)
    ]


def answer_invitation(work: UnitOfWork, organization: str, *, accept: bool) -> Organization:
    """Become a member, or decline. Only who was asked may. Raises ``InvitationNotFoundError``."""
    caller = require_person(work.caller)
    row = _locked_row(work, organization)
    invitation = organization_queries.find_invitation(work.session, row.id, caller.account_id)
    if invitation is None or invitation.declined_at is not None:
        raise InvitationNotFoundError(f"You have no open invitation from {organization}.")
    if accept:
        work.session.add(
            MembershipRow(
                organization_id=row.id, account_id=caller.account_id, role=invitation.role, created_at=work.now
            )
        )
        _measure_again(work, row.name, caller.name)
        tell_owners(work, row, "member_joined", caller.name)
        work.session.delete(invitation)
    else:
        invitation.declined_at = work.now
    work.session.flush()
    return organization_of(work, row)


def remove_member(work: UnitOfWork, organization: str, account_name: str) -> Organization:
    """Remove somebody, or take an invitation back.

    Owners may remove anybody, another owner with a delay; everybody may leave; the last owner stays.
    """
    caller = require_proof(work)
    row = _locked_row(work, organization)
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
    _measure_again(work, row.name, name)


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


def _measure_again(work: UnitOfWork, organization: str, account: str) -> None:
    """Queue audits: membership decides which evidence is independent of a package."""
    payload = {"organization": organization, "account": account}
    key = f"membership:{organization}:{account}"
    work.queue(JobName.MEASURE_AFTER_MEMBERSHIP, payload, unique_key=key)


def _locked_row(work: UnitOfWork, name: str) -> AccountRow:
    """The organisation, which nobody else changes until this transaction ends.

    Or two owners who remove each other at once would both find the other still there.
    """
    row = organization_row(work, name)
    account_queries.lock_account(work.session, row.id)
    return row


def _require_owner_role(work: UnitOfWork, row: AccountRow, caller: Caller) -> None:
    membership = organization_queries.find_membership(work.session, row.id, caller.account_id)
    if membership is None or role_of(membership.role) is not Role.OWNER:
        raise NotAllowedError(f"Only an owner of {row.name} may change its members.")


def _require_an_owner(work: UnitOfWork, row: AccountRow) -> None:
    if not organization_queries.owners_of(work.session, row.id):
        raise MembershipError(f"{row.name} would be left without an owner: make somebody else an owner first.")
