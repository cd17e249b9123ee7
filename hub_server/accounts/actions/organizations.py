"""Organisations: several people publish under one name."""

from sqlalchemy.exc import IntegrityError

from hub_server.accounts import queries
from hub_server.accounts.actions.authentication import check_name_is_free, name_taken
from hub_server.accounts.errors import AccountNotFoundError, OrganizationNotFoundError
from hub_server.accounts.models import ORGANIZATION, PERSON, AccountRow, MembershipRow
from hub_server.accounts.rules import fold_name
from hub_server.database.base import new_id
from hub_server.errors import ConflictError, NotAllowedError
from hub_server.kernel.caller import Caller, require_person
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Member, Organization, OrganizationCreate


def create_organization(work: UnitOfWork, request: OrganizationCreate) -> Organization:
    """Found an organisation; the caller becomes its first owner. Its name lives in the accounts' namespace."""
    caller = require_person(work.caller)
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


def add_member(work: UnitOfWork, organization: str, member: Member) -> Organization:
    """Add somebody, or change their role. Only owners may."""
    require_person(work.caller)
    row = _get_row(work, organization)
    _require_owner_role(work, row)
    account = _get_person(work, member.account)
    membership = queries.find_membership(work.session, row.id, account.id)
    if membership is None:
        work.session.add(
            MembershipRow(organization_id=row.id, account_id=account.id, role=member.role, created_at=work.now)
        )
    else:
        membership.role = member.role
    work.session.flush()
    _require_an_owner(work, row)
    return _organization_of(work, row)


def remove_member(work: UnitOfWork, organization: str, account_name: str) -> Organization:
    """Remove somebody. Owners may remove anybody, everybody may leave; the last owner stays."""
    caller = require_person(work.caller)
    row = _get_row(work, organization)
    if account_name != caller.name:
        _require_owner_role(work, row)
    account = _get_person(work, account_name)
    queries.remove_membership(work.session, row.id, account.id)
    work.session.flush()
    _require_an_owner(work, row)
    return _organization_of(work, row)


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
    caller = require_person(work.caller)
    membership = queries.find_membership(work.session, row.id, caller.account_id)
    if membership is None or membership.role != "owner":
        raise NotAllowedError(f"Only an owner of {row.name} may change its members.")
    return caller


def _require_an_owner(work: UnitOfWork, row: AccountRow) -> None:
    if not any(role == "owner" for _, role in queries.members_of(work.session, row.id)):
        raise ConflictError(f"{row.name} would be left without an owner: make somebody else an owner first.")


def _organization_of(work: UnitOfWork, row: AccountRow) -> Organization:
    members = [
        Member(account=name, role="owner" if role == "owner" else "member")
        for name, role in queries.members_of(work.session, row.id)
    ]
    return Organization(name=row.name, display_name=row.display_name, created_at=row.created_at, members=members)
