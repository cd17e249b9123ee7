"""Organisations: several people publish under one name."""

from collections.abc import Collection, Sequence

from sqlalchemy.exc import IntegrityError

from hub_server.accounts import queries
from hub_server.accounts.actions.authentication import check_name_is_free, name_taken
from hub_server.accounts.actions.notices import queue_notices
from hub_server.accounts.errors import AccountNotFoundError, InvitationNotFoundError, OrganizationNotFoundError
from hub_server.accounts.models import ORGANIZATION, PERSON, AccountRow, InvitationRow, MembershipRow
from hub_server.accounts.rules import fold_name
from hub_server.database.base import new_id
from hub_server.errors import ConflictError, NotAllowedError
from hub_server.kernel.caller import Caller, require_person, require_proof
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Invitation, Member, Organization, OrganizationCreate


def create_organization(work: UnitOfWork, request: OrganizationCreate) -> Organization:
    """Create an organisation; the caller becomes its first owner. Its name lives in the accounts' namespace."""
    caller = require_proof(work.caller)
    check_name_is_free(work, request.name)
    now = work.now
    row = AccountRow(
        id=new_id(now),
        name=request.name,
        name_folded=fold_name(request.name),
        kind=ORGANIZATION,
        display_name=request.display_name,
        created_at=now,
    )
    work.session.add(row)
    try:
        work.session.flush()
    except IntegrityError as error:
        raise name_taken(request.name) from error
    work.session.add(MembershipRow(organization_id=row.id, account_id=caller.account_id, role="owner", created_at=now))
    work.session.flush()
    return _organization_of(work, row)


def get_organization(work: UnitOfWork, name: str) -> Organization:
    """An organisation with its members. Raises ``OrganizationNotFoundError``."""
    return _organization_of(work, _get_row(work, name))


def list_organizations_of(work: UnitOfWork, account_name: str) -> list[str]:
    """Names of the organisations that an account is a member of."""
    row = queries.find_account(work.session, account_name)
    return [name for name, _ in queries.organizations_of(work.session, row.id)] if row is not None else []


def members_by_organization(work: UnitOfWork, names: Collection[str]) -> dict[str, set[str]]:
    """Organisation -> its members, for those of the names that are organisations with members."""
    found: dict[str, set[str]] = {}
    for organization, member in queries.members_of_all(work.session, names):
        found.setdefault(organization, set()).add(member)
    return found


def invite_member(work: UnitOfWork, organization: str, member: Member) -> Organization:
    """Ask somebody in, or change the role of a member or of an invitation. Only owners may.

    Nobody is made a member without accepting: members own the organisation's packages too, so their suites, labels and
    votes do not count there.
    """
    require_person(work.caller)
    row = _get_row(work, organization)
    owner = _require_owner_role(work, row)
    account = _get_person(work, member.account)
    membership = queries.find_membership(work.session, row.id, account.id)
    found = membership or queries.find_invitation(work.session, row.id, account.id)
    if found is not None:
        if membership is not None and membership.role != member.role:
            _tell_owners(work, row, "role_changed", account.name)
        found.role = member.role
    else:
        invitation = InvitationRow(
            organization_id=row.id,
            account_id=account.id,
            role=member.role,
            invited_by=owner.name,
            created_at=work.now,
        )
        work.session.add(invitation)
    work.session.flush()
    _require_an_owner(work, row)
    return _organization_of(work, row)


def list_invitations(work: UnitOfWork) -> list[Invitation]:
    """What the caller was asked into and has not answered."""
    caller = require_person(work.caller)
    return [
        Invitation(
            organization=name,
            role="owner" if row.role == "owner" else "member",
            invited_by=row.invited_by,
            created_at=row.created_at,
        )
        for name, row in queries.invitations_of(work.session, caller.account_id)
    ]


def answer_invitation(work: UnitOfWork, organization: str, *, accept: bool) -> Organization:
    """Become a member, or decline. Only who was asked may. Raises ``InvitationNotFoundError``."""
    caller = require_person(work.caller)
    row = _get_row(work, organization)
    invitation = queries.find_invitation(work.session, row.id, caller.account_id)
    if invitation is None:
        raise InvitationNotFoundError(f"You have no open invitation from {organization}.")
    if accept:
        work.session.add(
            MembershipRow(
                organization_id=row.id, account_id=caller.account_id, role=invitation.role, created_at=work.now
            )
        )
        _measure_again(work, row.name, caller.name)
        _tell_owners(work, row, "member_joined", caller.name)
    work.session.delete(invitation)
    work.session.flush()
    return _organization_of(work, row)


def remove_member(work: UnitOfWork, organization: str, account_name: str) -> Organization:
    """Remove somebody, or take an invitation back.

    Owners may remove anybody, everybody may leave; the last owner stays.
    """
    caller = require_proof(work.caller)
    row = _get_row(work, organization)
    if account_name != caller.name:
        _require_owner_role(work, row)
    account = _get_person(work, account_name)
    invitation = queries.find_invitation(work.session, row.id, account.id)
    if invitation is not None:
        work.session.delete(invitation)
    if queries.find_membership(work.session, row.id, account.id) is not None:
        _tell_owners(work, row, "member_removed", account.name)
        queries.remove_membership(work.session, row.id, account.id)
        _measure_again(work, row.name, account.name)
    work.session.flush()
    _require_an_owner(work, row)
    return _organization_of(work, row)


def _tell_owners(work: UnitOfWork, row: AccountRow, kind: str, account: str) -> None:
    """Mail the organisation's owners, as they are before the change, and whom it is about."""
    owners = [name for name, role in queries.members_of(work.session, row.id) if role == "owner"]
    queue_notices(work, kind, [*owners, account], thing=row.name, other=account)


def _measure_again(work: UnitOfWork, organization: str, account: str) -> None:
    """Queue audits: membership decides which evidence is independent of a package."""
    payload = {"organization": organization, "account": account}
    key = f"membership:{organization}:{account}"
    work.queue(JobName.MEASURE_AFTER_MEMBERSHIP, payload, unique_key=key)


def _get_row(work: UnitOfWork, name: str) -> AccountRow:
    row = queries.find_account(work.session, name)
    if row is None or row.kind != ORGANIZATION:
        raise OrganizationNotFoundError(f"There is no organisation {name!r} on this hub.")
    return row


def _get_person(work: UnitOfWork, name: str) -> AccountRow:
    row = queries.find_account(work.session, name)
    if row is None or row.kind != PERSON:
        raise AccountNotFoundError(f"There is no account {name!r} on this hub.")
    return row


def _require_owner_role(work: UnitOfWork, row: AccountRow) -> Caller:
    caller = require_proof(work.caller)
    membership = queries.find_membership(work.session, row.id, caller.account_id)
    if membership is None or membership.role != "owner":
        raise NotAllowedError(f"Only an owner of {row.name} may change its members.")
    return caller


def _require_an_owner(work: UnitOfWork, row: AccountRow) -> None:
    if not any(role == "owner" for _, role in queries.members_of(work.session, row.id)):
        raise ConflictError(f"{row.name} would be left without an owner: make somebody else an owner first.")


def _organization_of(work: UnitOfWork, row: AccountRow) -> Organization:
    members = _as_members(queries.members_of(work.session, row.id))
    is_inside = work.caller is not None and work.caller.name in {member.account for member in members}
    invited = _as_members(queries.invited_to(work.session, row.id)) if is_inside else []
    return Organization(
        name=row.name, display_name=row.display_name, created_at=row.created_at, members=members, invited=invited
    )


def _as_members(rows: Sequence[tuple[str, str]]) -> list[Member]:
    return [Member(account=name, role="owner" if role == "owner" else "member") for name, role in rows]
