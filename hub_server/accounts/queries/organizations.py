"""Statements about members of organisations and invitations."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session, aliased

from hub_server.accounts.models import AccountRow, FormerMemberRow, InvitationRow, MembershipRow
from hub_server.accounts.rules.memberships import role_of
from schemas.account import Role


def organizations_of(session: Session, account_id: str) -> list[tuple[str, str]]:
    """(organisation's name, role) of every membership."""
    statement = (
        select(AccountRow.name, MembershipRow.role)
        .join(MembershipRow, MembershipRow.organization_id == AccountRow.id)
        .where(MembershipRow.account_id == account_id)
        .order_by(AccountRow.name)
    )
    return [(name, role) for name, role in session.execute(statement)]


def active_memberships_of(session: Session, account_id: str) -> dict[str, str]:
    """The account's role in each of its organisations that is not suspended, by the organisation's name."""
    statement = (
        select(AccountRow.name, MembershipRow.role)
        .join(MembershipRow, MembershipRow.organization_id == AccountRow.id)
        .where(MembershipRow.account_id == account_id, AccountRow.suspended_reason.is_(None))
    )
    return dict(session.execute(statement).all())


def members_of(session: Session, organization_id: str) -> list[tuple[str, str]]:
    """(account's name, role) of every member."""
    statement = (
        select(AccountRow.name, MembershipRow.role)
        .join(MembershipRow, MembershipRow.account_id == AccountRow.id)
        .where(MembershipRow.organization_id == organization_id)
        .order_by(AccountRow.name)
    )
    return [(name, role) for name, role in session.execute(statement)]


def owners_of(session: Session, organization_id: str) -> list[str]:
    """Names of the organisation's owners, in order."""
    return [name for name, role in members_of(session, organization_id) if role_of(role) is Role.OWNER]


def owners_in_good_standing(
    session: Session, organization_ids: Collection[str], names: Collection[str]
) -> set[tuple[str, str]]:
    """(organisation's id, account's name) of those of the accounts that own one of the organisations and are not
    suspended.
    """
    statement = (
        select(MembershipRow.organization_id, AccountRow.name, MembershipRow.role)
        .join(AccountRow, AccountRow.id == MembershipRow.account_id)
        .where(
            MembershipRow.organization_id.in_(sorted(organization_ids)),
            AccountRow.name.in_(sorted(names)),
            AccountRow.suspended_reason.is_(None),
        )
    )
    return {(held, name) for held, name, role in session.execute(statement) if role_of(role) is Role.OWNER}


def memberships_in(session: Session, organization_id: str) -> list[MembershipRow]:
    """The membership of every member."""
    return list(session.scalars(select(MembershipRow).where(MembershipRow.organization_id == organization_id)))


def members_of_all(session: Session, organizations: Collection[str]) -> list[tuple[str, str]]:
    """(organisation's name, member's name) of every member of these organisations."""
    return [(name, member) for name, member in session.execute(_members(organizations))]


def members_since(session: Session, organizations: Collection[str], since: datetime) -> list[tuple[str, str]]:
    """The same with those who have left after ``since``."""
    left = (
        select(AccountRow.name, FormerMemberRow.member)
        .join(FormerMemberRow, FormerMemberRow.organization_id == AccountRow.id)
        .where(AccountRow.name.in_(sorted(organizations)), FormerMemberRow.left_at > since)
    )
    return [(name, member) for name, member in session.execute(_members(organizations).union_all(left))]


def organizations_since(session: Session, name: str, since: datetime) -> set[str]:
    """The organisations of a person, with those that it has left after ``since``."""
    organization, person = aliased(AccountRow), aliased(AccountRow)
    now = (
        select(organization.name)
        .join(MembershipRow, MembershipRow.organization_id == organization.id)
        .join(person, person.id == MembershipRow.account_id)
        .where(person.name == name)
    )
    left = (
        select(AccountRow.name)
        .join(FormerMemberRow, FormerMemberRow.organization_id == AccountRow.id)
        .where(FormerMemberRow.member == name, FormerMemberRow.left_at > since)
    )
    return set(session.scalars(now.union_all(left)))


def _members(organizations: Collection[str]) -> "Select[str, str]":
    organization, person = aliased(AccountRow), aliased(AccountRow)
    return (
        select(organization.name, person.name)
        .join(MembershipRow, MembershipRow.organization_id == organization.id)
        .join(person, person.id == MembershipRow.account_id)
        .where(organization.name.in_(sorted(organizations)))
    )


def add_former_member(session: Session, organization_id: str, member: str, now: datetime) -> None:
    """Remember that somebody has left."""
    session.merge(FormerMemberRow(organization_id=organization_id, member=member, left_at=now))


def forget_former_members(session: Session, before: datetime) -> None:
    """Forget who left before then."""
    session.execute(delete(FormerMemberRow).where(FormerMemberRow.left_at < before))


def find_membership(session: Session, organization_id: str, account_id: str) -> MembershipRow | None:
    """One membership, or None."""
    return session.get(MembershipRow, (organization_id, account_id))


def ends_of(session: Session, organization_id: str) -> dict[str, datetime]:
    """Name -> when the membership ends, of those owners whose removal was asked for."""
    statement = (
        select(AccountRow.name, MembershipRow.ends_at)
        .join(MembershipRow, MembershipRow.account_id == AccountRow.id)
        .where(MembershipRow.organization_id == organization_id, MembershipRow.ends_at.is_not(None))
    )
    return {name: at for name, at in session.execute(statement) if at is not None}


def remove_membership(session: Session, organization_id: str, account_id: str) -> None:
    """End a membership; harmless when there is none."""
    session.execute(
        delete(MembershipRow).where(
            MembershipRow.organization_id == organization_id, MembershipRow.account_id == account_id
        )
    )


def find_invitation(session: Session, organization_id: str, account_id: str) -> InvitationRow | None:
    """One invitation, also one that was declined, or None."""
    return session.get(InvitationRow, (organization_id, account_id))


def invited_to(session: Session, organization_id: str) -> list[tuple[str, str]]:
    """(account's name, role) of everybody who was asked and has not answered."""
    statement = (
        select(AccountRow.name, InvitationRow.role)
        .join(InvitationRow, InvitationRow.account_id == AccountRow.id)
        .where(InvitationRow.organization_id == organization_id, InvitationRow.declined_at.is_(None))
        .order_by(AccountRow.name)
    )
    return [(name, role) for name, role in session.execute(statement)]


def invitations_of(session: Session, account_id: str) -> list[tuple[str, InvitationRow]]:
    """(organisation's name, invitation) of what an account was asked into and has not answered, at most 100."""
    statement = (
        select(AccountRow.name, InvitationRow)
        .join(InvitationRow, InvitationRow.organization_id == AccountRow.id)
        .where(InvitationRow.account_id == account_id, InvitationRow.declined_at.is_(None))
        .order_by(AccountRow.name)
        .limit(100)
    )
    return [(name, row) for name, row in session.execute(statement)]
