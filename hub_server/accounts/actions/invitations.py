"""Invitations to an organisation: sent by an owner, listed, accepted or declined. Nobody joins without one.

An invitation lapses while whoever sent it is suspended, or is no owner any more: who broke into an account would
otherwise come back as an owner after it was stopped.
"""

from collections.abc import Sequence

from hub_server.accounts.actions.account_rows import refuse_deleted
from hub_server.accounts.actions.notices import tell_owners
from hub_server.accounts.actions.organizations import locked_organization, measure_with_members, organization_of
from hub_server.accounts.errors import InvitationNotFoundError, MembershipError
from hub_server.accounts.models import AccountRow, InvitationRow, MembershipRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import DECLINED_FOR, MOST_INVITATIONS, may_invite_again, role_of
from hub_server.kernel.caller import Caller, require_person
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Invitation, Organization, Role


def invite(work: UnitOfWork, row: AccountRow, account: AccountRow, role: Role, owner: Caller) -> None:
    """Ask somebody in, or change the role offered. Raises ``MembershipError`` for who has declined lately."""
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
    asked = organization_queries.invitations_of(work.session, caller.account_id)
    standing = _standing(work, [row for _, row in asked])
    return [
        Invitation(
            organization=name,
            role=role_of(row.role),
            invited_by=row.invited_by,
            created_at=row.created_at,
        )
        for name, row in asked
        if (row.organization_id, row.invited_by) in standing
    ]


def answer_invitation(work: UnitOfWork, organization: str, *, accept: bool) -> Organization:
    """Become a member, or decline. Only who was asked may. Raises ``InvitationNotFoundError``."""
    caller = require_person(work.caller)
    account_queries.lock_account(work.session, caller.account_id)  # as whoever deletes it does
    refuse_deleted(work)
    row = locked_organization(work, organization)
    invitation = organization_queries.find_invitation(work.session, row.id, caller.account_id)
    if invitation is None or invitation.declined_at is not None:
        raise InvitationNotFoundError(f"You have no open invitation from {organization}.")
    if accept and not _standing(work, [invitation]):
        raise InvitationNotFoundError(
            f"{invitation.invited_by}, who asked you into {organization}, may not do so any more: ask another owner."
        )
    if accept:
        work.session.add(
            MembershipRow(
                organization_id=row.id, account_id=caller.account_id, role=invitation.role, created_at=work.now
            )
        )
        measure_with_members(work, row.name, caller.name)
        tell_owners(work, row, "member_joined", caller.name)
        work.session.delete(invitation)
    else:
        invitation.declined_at = work.now
    work.session.flush()
    return organization_of(work, row)


def _standing(work: UnitOfWork, invitations: Sequence[InvitationRow]) -> set[tuple[str, str]]:
    """(organisation's id, who asked) of the invitations that have not lapsed."""
    organizations = {row.organization_id for row in invitations}
    by = {row.invited_by for row in invitations}
    return organization_queries.owners_in_good_standing(work.session, organizations, by) if invitations else set()
