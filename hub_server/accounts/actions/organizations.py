"""Organisations: several people publish under one name. Who stands behind a name, and may decide for it."""

from collections.abc import Collection

from sqlalchemy.exc import IntegrityError

from hub_server.accounts.actions.account_rows import refuse_deleted
from hub_server.accounts.actions.accounts import check_name_is_free, get_account, name_taken
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import (
    MembershipError,
    OrganizationNotFoundError,
)
from hub_server.accounts.models import ORGANIZATION, AccountRow, MembershipRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import (
    COUNTED_AFTER_LEAVING,
    MOST_ORGANIZATIONS,
    role_of,
)
from hub_server.accounts.rules.names import fold_name
from hub_server.database.base import new_id
from hub_server.kernel.caller import Caller, require_caller, require_person
from hub_server.kernel.job_names import JobName
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import (
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
    caller = require_proof(work)
    account_queries.lock_account(work.session, caller.account_id)
    refuse_deleted(work)
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
    return organization_of(work, row)


def get_organization(work: UnitOfWork, name: str) -> Organization:
    """An organisation with its members. Raises ``OrganizationNotFoundError``."""
    return organization_of(work, organization_row(work, name))


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


def governed_by(work: UnitOfWork, caller: Caller) -> list[str]:
    """Those of ``caller.owners`` that the caller governs."""
    roles = organization_queries.active_memberships_of(work.session, caller.account_id)
    owned = {name for name, role in roles.items() if role_of(role) is Role.OWNER} | {caller.name}
    return [name for name in caller.owners if name in owned]


def governors_of(work: UnitOfWork, owner: str) -> list[str]:
    """Who decides about all that ``owner`` has: the account, or the owners of an organisation that is not suspended."""
    row = account_queries.find_account(work.session, owner)
    if row is None or row.suspended_reason is not None:
        return [owner]
    return [owner, *organization_queries.owners_of(work.session, row.id)]


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


def people_of_organizations(work: UnitOfWork, names: Collection[str]) -> dict[str, set[str]]:
    """The same with those who left it not long ago: by leaving nobody becomes independent of its packages at once."""
    found: dict[str, set[str]] = {}
    since = work.now - COUNTED_AFTER_LEAVING
    for organization, member in organization_queries.members_since(work.session, names, since):
        found.setdefault(organization, set()).add(member)
    return found


def organizations_of_person(work: UnitOfWork, name: str) -> set[str]:
    """Those of which it is among the people, by :func:`people_of_organizations`."""
    return organization_queries.organizations_since(work.session, name, work.now - COUNTED_AFTER_LEAVING)


def organization_row(work: UnitOfWork, name: str) -> AccountRow:
    """The organisation of a name. Raises ``OrganizationNotFoundError``."""
    row = account_queries.find_account(work.session, name)
    if row is None or row.kind != ORGANIZATION:
        raise OrganizationNotFoundError(f"There is no organisation {name!r} on this hub.")
    return row


def locked_organization(work: UnitOfWork, name: str) -> AccountRow:
    """The organisation, which nobody else changes until this transaction ends.

    Or two owners who remove each other at once would both find the other still there.
    """
    row = organization_row(work, name)
    account_queries.lock_account(work.session, row.id)
    return row


def organization_of(work: UnitOfWork, row: AccountRow) -> Organization:
    """An organisation as the API shows it; who is asked in, and whose role ends, is shown to members."""
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


def measure_with_members(work: UnitOfWork, organization: str, account: str) -> None:
    """Queue audits: membership decides which evidence is independent of a package."""
    payload = {"organization": organization, "account": account}
    key = f"membership:{organization}:{account}"
    work.queue(JobName.MEASURE_AFTER_MEMBERSHIP, payload, unique_key=key)
