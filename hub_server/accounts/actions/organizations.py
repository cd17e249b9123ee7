"""Organisations: several people publish under one name."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy.exc import IntegrityError

from hub_server.accounts.actions.authentication import check_name_is_free, get_account, name_taken
from hub_server.accounts.actions.lost_owners import (
    forget_end,
    is_lost_later,
    keep_owner,
    lose_later,
    take_lost_owner,
)
from hub_server.accounts.actions.notices import queue_notices
from hub_server.accounts.errors import (
    AccountNotFoundError,
    InvitationNotFoundError,
    MembershipError,
    OrganizationNotFoundError,
)
from hub_server.accounts.models import ORGANIZATION, PERSON, AccountRow, InvitationRow, MembershipRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import (
    DECLINED_FOR,
    MOST_INVITATIONS,
    MOST_ORGANIZATIONS,
    may_invite_again,
    role_of,
)
from hub_server.accounts.rules.names import fold_name
from hub_server.database.base import new_id
from hub_server.errors import NotAllowedError
from hub_server.kernel.caller import Caller, require_caller, require_person, require_proof
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import (
    Invitation,
    Member,
    Membership,
    Organization,
    OrganizationCreate,
    OwnAccount,
    OwnMembership,
    Role,
)


def create_organization(work: UnitOfWork, request: OrganizationCreate) -> Organization:
    """Create an organisation; the caller becomes its first owner. Its name lives in the accounts' namespace.

    Raises ``NameTakenError``, ``NameBlockedError``, ``MembershipError`` for an owner of too many.
    """
    caller = require_proof(work.caller)
    account_queries.lock_account(work.session, caller.account_id)
    roles = [role_of(role) for _, role in organization_queries.organizations_of(work.session, caller.account_id)]
    if roles.count(Role.OWNER) >= MOST_ORGANIZATIONS:
        raise MembershipError(f"You are an owner of {MOST_ORGANIZATIONS} organisations, which is the most.")
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
    founder = MembershipRow(organization_id=row.id, account_id=caller.account_id, role=Role.OWNER.value, created_at=now)
    work.session.add(founder)
    work.session.flush()
    return _organization_of(work, row)


def get_organization(work: UnitOfWork, name: str) -> Organization:
    """An organisation with its members. Raises ``OrganizationNotFoundError``."""
    return _organization_of(work, _get_row(work, name))


def owners_of_account(work: UnitOfWork, account_id: str) -> frozenset[str]:
    """The names that an account may act for: its own, and its organisations'."""
    own = account_queries.names_of(work.session, [account_id])
    return frozenset({*own.values(), *organization_queries.active_memberships_of(work.session, account_id)})


def list_organizations_of(work: UnitOfWork, account_name: str) -> list[str]:
    """Names of the organisations that an account is a member of."""
    row = account_queries.find_account(work.session, account_name)
    return [name for name, _ in organization_queries.organizations_of(work.session, row.id)] if row is not None else []


def governs(work: UnitOfWork, account_name: str, owner: str) -> bool:
    """Whether an account may give away or delete what ``owner`` has: it is itself, or an owner of the organisation."""
    return account_name in governors_of(work, owner)


def governors_of(work: UnitOfWork, owner: str) -> list[str]:
    """Who decides about all that ``owner`` has: the account, or the owners of an organisation that is not suspended."""
    row = account_queries.find_account(work.session, owner)
    members = (
        organization_queries.members_of(work.session, row.id)
        if row is not None and row.suspended_reason is None
        else []
    )
    return [owner, *(name for name, role in members if role_of(role) is Role.OWNER)]


def is_governor(work: UnitOfWork, account_name: str, owner: str) -> bool:
    """As :func:`governs`, and the account is not suspended: for what it has asked for some days ago."""
    row = account_queries.find_account(work.session, account_name)
    return row is not None and row.suspended_reason is None and governs(work, account_name, owner)


def may_publish_for(work: UnitOfWork, account_name: str, owner: str) -> bool:
    """Whether an account may publish for ``owner`` now: it is itself, or a maintainer; no suspended one is."""
    if account_name == owner:
        return True
    row = account_queries.find_account(work.session, account_name)
    if row is None or row.suspended_reason is not None:
        return False
    role = organization_queries.active_memberships_of(work.session, row.id).get(owner)
    return role is not None and role_of(role) is not Role.MEMBER


def get_own_account(work: UnitOfWork) -> OwnAccount:
    """The caller, by whatever credential, with its organisations: who is in them is public."""
    caller = require_caller(work.caller)
    found = get_account(work, caller.name)
    rows = organization_queries.organizations_of(work.session, caller.account_id)
    return OwnAccount(
        **found.model_dump(),
        organizations=[OwnMembership(organization=name, role=role_of(role)) for name, role in rows],
    )


def list_memberships(work: UnitOfWork) -> list[tuple[str, Role]]:
    """The caller's organisations with its role in each, by name."""
    caller = require_person(work.caller)
    return [
        (name, role_of(role)) for name, role in organization_queries.organizations_of(work.session, caller.account_id)
    ]


def members_by_organization(work: UnitOfWork, names: Collection[str]) -> dict[str, set[str]]:
    """Organisation -> its members, for those of the names that are organisations with members."""
    found: dict[str, set[str]] = {}
    for organization, member in organization_queries.members_of_all(work.session, names):
        found.setdefault(organization, set()).add(member)
    return found


def invite_member(work: UnitOfWork, organization: str, member: Member) -> Organization:
    """Ask somebody in, or change the role of a member or of an invitation. Only owners may; an owner is lost later.

    Nobody is made a member without accepting: members own the organisation's packages too, so their suites, labels and
    votes do not count there. Raises ``MembershipError`` for who has declined lately.
    """
    require_person(work.caller)
    row = _locked_row(work, organization)
    owner = _require_owner_role(work, row)
    account = _get_person(work, member.account)
    membership = organization_queries.find_membership(work.session, row.id, account.id)
    if membership is None:
        _invite(work, row, account, member.role, owner)
    elif membership.role == member.role:
        keep_owner(work, row, membership, account)
    elif is_lost_later(work, owner, account, membership):
        lose_later(work, row, membership, account, member.role.value)
    else:
        _tell_owners(work, row, "role_changed", account.name)
        membership.role = member.role.value
        forget_end(membership)
    work.session.flush()
    _require_an_owner(work, row)
    return _organization_of(work, row)


def _invite(work: UnitOfWork, row: AccountRow, account: AccountRow, role: Role, owner: Caller) -> None:
    found = organization_queries.find_invitation(work.session, row.id, account.id)
    if found is None:
        if len(organization_queries.invited_to(work.session, row.id)) >= MOST_INVITATIONS:
            raise MembershipError(f"{MOST_INVITATIONS} people who were asked have not answered: take some back first.")
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
        _tell_owners(work, row, "member_joined", caller.name)
        work.session.delete(invitation)
    else:
        invitation.declined_at = work.now
    work.session.flush()
    return _organization_of(work, row)


def remove_member(work: UnitOfWork, organization: str, account_name: str) -> Organization:
    """Remove somebody, or take an invitation back.

    Owners may remove anybody, another owner with a delay; everybody may leave; the last owner stays.
    """
    caller = require_proof(work.caller)
    row = _locked_row(work, organization)
    if account_name != caller.name:
        _require_owner_role(work, row)
    account = _get_person(work, account_name)
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
    return _organization_of(work, row)


def _remove(work: UnitOfWork, row: AccountRow, account_id: str, name: str) -> None:
    _tell_owners(work, row, "member_removed", name)
    organization_queries.remove_membership(work.session, row.id, account_id)
    _measure_again(work, row.name, name)


def lose_owner(work: UnitOfWork, organization_id: str, account_id: str, at: datetime) -> None:
    """In a job: an owner is lost, as another owner asked for some days ago, unless it was stopped. One always stays."""
    found = take_lost_owner(work, organization_id, account_id, at)
    membership = organization_queries.find_membership(work.session, organization_id, account_id)
    if found is None or membership is None:
        return
    organization, name, role = found
    row = _get_row(work, organization)
    owners = [one for one, held in organization_queries.members_of(work.session, row.id) if held == Role.OWNER]
    if owners == [name]:
        return
    if role:
        _tell_owners(work, row, "role_changed", name)
        membership.role = role
    else:
        _remove(work, row, account_id, name)


def _tell_owners(work: UnitOfWork, row: AccountRow, kind: str, account: str) -> None:
    """Mail the organisation's owners, as they are before the change, and whom it is about."""
    owners = [
        name for name, role in organization_queries.members_of(work.session, row.id) if role_of(role) is Role.OWNER
    ]
    queue_notices(work, kind, [*owners, account], thing=row.name, other=account)


def _measure_again(work: UnitOfWork, organization: str, account: str) -> None:
    """Queue audits: membership decides which evidence is independent of a package."""
    payload = {"organization": organization, "account": account}
    key = f"membership:{organization}:{account}"
    work.queue(JobName.MEASURE_AFTER_MEMBERSHIP, payload, unique_key=key)


def _get_row(work: UnitOfWork, name: str) -> AccountRow:
    row = account_queries.find_account(work.session, name)
    if row is None or row.kind != ORGANIZATION:
        raise OrganizationNotFoundError(f"There is no organisation {name!r} on this hub.")
    return row


def _locked_row(work: UnitOfWork, name: str) -> AccountRow:
    """The organisation, which nobody else changes until this transaction ends.

    Or two owners who remove each other at once would both find the other still there.
    """
    row = _get_row(work, name)
    account_queries.lock_account(work.session, row.id)
    return row


def _get_person(work: UnitOfWork, name: str) -> AccountRow:
    row = account_queries.find_account(work.session, name)
    if row is None or row.kind != PERSON:
        raise AccountNotFoundError(f"There is no account {name!r} on this hub.")
    return row


def _require_owner_role(work: UnitOfWork, row: AccountRow) -> Caller:
    caller = require_proof(work.caller)
    membership = organization_queries.find_membership(work.session, row.id, caller.account_id)
    if membership is None or role_of(membership.role) is not Role.OWNER:
        raise NotAllowedError(f"Only an owner of {row.name} may change its members.")
    return caller


def _require_an_owner(work: UnitOfWork, row: AccountRow) -> None:
    if not any(role_of(role) is Role.OWNER for _, role in organization_queries.members_of(work.session, row.id)):
        raise MembershipError(f"{row.name} would be left without an owner: make somebody else an owner first.")


def _organization_of(work: UnitOfWork, row: AccountRow) -> Organization:
    rows = organization_queries.members_of(work.session, row.id)
    is_inside = work.caller is not None and work.caller.name in {name for name, _ in rows}
    invited = organization_queries.invited_to(work.session, row.id) if is_inside else []
    ends = organization_queries.ends_of(work.session, row.id) if is_inside else {}
    return Organization(
        name=row.name,
        display_name=row.display_name,
        created_at=row.created_at,
        members=[Membership(account=name, role=role_of(role), ends_at=ends.get(name)) for name, role in rows],
        invited=[Member(account=name, role=role_of(role)) for name, role in invited],
    )
