"""Every SQL statement about accounts."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Select, delete, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from hub_server.accounts.models import (
    PERSON,
    AccountRow,
    BlockedNameRow,
    DeviceLoginRow,
    InvitationRow,
    MailedSecretRow,
    MembershipRow,
    RecoveryCodeRow,
    SecondFactorRow,
    TokenRow,
    WebSessionRow,
)


def find_account(session: Session, name: str) -> AccountRow | None:
    """The account of that name, or None."""
    return session.scalar(select(AccountRow).where(AccountRow.name == name))


def names_of(session: Session, account_ids: Collection[str]) -> dict[str, str]:
    """The name of each account, by its id."""
    found = session.execute(select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(account_ids)))
    return {row.id: row.name for row in found}


def people_of_email(session: Session, email: str, at_most: int) -> list[AccountRow]:
    """People with that address, whatever its case, oldest first."""
    statement = select(AccountRow).where(AccountRow.kind == PERSON, func.lower(AccountRow.email) == email.lower())
    return list(session.scalars(statement.order_by(AccountRow.created_at).limit(at_most)))


def was_mailed_since(session: Session, account_id: str, purpose: str, since: datetime, job_id: str) -> bool:
    """Whether another job than ``job_id`` has sent such a mail since then."""
    statement = select(MailedSecretRow.secret_sha256).where(
        MailedSecretRow.account_id == account_id,
        MailedSecretRow.purpose == purpose,
        MailedSecretRow.created_at > since,
        MailedSecretRow.job_id != job_id,
    )
    return session.scalar(statement.limit(1)) is not None


def forget_mailed_by(session: Session, job_id: str, account_id: str) -> None:
    """Forget what a job that is run again has sent to an account."""
    session.execute(
        delete(MailedSecretRow).where(MailedSecretRow.job_id == job_id, MailedSecretRow.account_id == account_id)
    )


def forget_mailed_secrets(session: Session, account_id: str, purpose: str) -> None:
    """Make every mailed secret of one purpose useless."""
    session.execute(
        delete(MailedSecretRow).where(MailedSecretRow.account_id == account_id, MailedSecretRow.purpose == purpose)
    )


def find_mailed_secret(
    session: Session, secret_sha256: str, purpose: str, now: datetime, *, lock: bool
) -> tuple[MailedSecretRow, AccountRow] | None:
    """A mailed secret that still holds, with its account. ``lock``: against a second use at the same moment."""
    statement = (
        select(MailedSecretRow, AccountRow)
        .join(AccountRow, AccountRow.id == MailedSecretRow.account_id)
        .where(
            MailedSecretRow.secret_sha256 == secret_sha256,
            MailedSecretRow.purpose == purpose,
            MailedSecretRow.expires_at > now,
            MailedSecretRow.email == AccountRow.email,
        )
    )
    row = session.execute(statement.with_for_update() if lock else statement).first()
    return (row[0], row[1]) if row else None


def find_second_factor_of(session: Session, name: str, *, lock: bool = False) -> SecondFactorRow | None:
    """The second factor of the account of that name, also one that is not switched on."""
    statement = select(SecondFactorRow).join(AccountRow, AccountRow.id == SecondFactorRow.account_id)
    statement = statement.where(AccountRow.name == name)
    return session.scalar(statement.with_for_update() if lock else statement)


def count_recovery_codes(session: Session, account_id: str) -> int:
    """How many are left."""
    codes = select(func.count()).select_from(RecoveryCodeRow).where(RecoveryCodeRow.account_id == account_id)
    return session.scalar(codes) or 0


def remove_recovery_code(session: Session, account_id: str, code_sha256: str) -> bool:
    """Use a recovery code up; False when there is no such one."""
    row = session.get(RecoveryCodeRow, (account_id, code_sha256))
    if row is None:
        return False
    session.delete(row)
    return True


def remove_second_factor(session: Session, account_id: str) -> None:
    """Forget an account's second factor with its recovery codes."""
    session.execute(delete(RecoveryCodeRow).where(RecoveryCodeRow.account_id == account_id))
    session.execute(delete(SecondFactorRow).where(SecondFactorRow.account_id == account_id))


def is_name_taken(session: Session, name: str, folded: str) -> bool:
    """Whether somebody has ``name`` or one that folds to the same."""
    taken = select(AccountRow.id).where(or_(AccountRow.name == name, AccountRow.name_folded == folded))
    return session.scalar(taken) is not None


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


def lock_account(session: Session, account_id: str) -> None:
    """Let no other transaction that asks for this lock go on until this one ends: of two changes one comes second."""
    session.execute(select(AccountRow.id).where(AccountRow.id == account_id).with_for_update())


def suspended_accounts(session: Session) -> list[AccountRow]:
    """Accounts and organisations that are suspended, by name."""
    statement = select(AccountRow).where(AccountRow.suspended_reason.is_not(None))
    return list(session.scalars(statement.order_by(AccountRow.name)))


def hidden_names() -> Select[str]:
    """A subquery: names of accounts whose content is hidden."""
    return select(AccountRow.name).where(AccountRow.hidden_reason.is_not(None))


def find_block(session: Session, names: Collection[str]) -> BlockedNameRow | None:
    """What blocks one of ``names`` (folded), or None."""
    return session.scalar(select(BlockedNameRow).where(BlockedNameRow.name_folded.in_(sorted(names))).limit(1))


def blocked_names(session: Session) -> list[BlockedNameRow]:
    """Every blocked name, in order."""
    return list(session.scalars(select(BlockedNameRow).order_by(BlockedNameRow.name)))


def members_of(session: Session, organization_id: str) -> list[tuple[str, str]]:
    """(account's name, role) of every member."""
    statement = (
        select(AccountRow.name, MembershipRow.role)
        .join(MembershipRow, MembershipRow.account_id == AccountRow.id)
        .where(MembershipRow.organization_id == organization_id)
        .order_by(AccountRow.name)
    )
    return [(name, role) for name, role in session.execute(statement)]


def members_of_all(session: Session, organizations: Collection[str]) -> list[tuple[str, str]]:
    """(organisation's name, member's name) of every member of these organisations."""
    organization, person = aliased(AccountRow), aliased(AccountRow)
    statement = (
        select(organization.name, person.name)
        .join(MembershipRow, MembershipRow.organization_id == organization.id)
        .join(person, person.id == MembershipRow.account_id)
        .where(organization.name.in_(sorted(organizations)))
    )
    return [(name, member) for name, member in session.execute(statement)]


def find_membership(session: Session, organization_id: str, account_id: str) -> MembershipRow | None:
    """One membership, or None."""
    return session.get(MembershipRow, (organization_id, account_id))


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


def find_live_token(session: Session, secret_sha256: str, now: datetime) -> tuple[TokenRow, AccountRow] | None:
    """A token that is neither revoked nor expired, with its account."""
    statement = (
        select(TokenRow, AccountRow)
        .join(AccountRow, AccountRow.id == TokenRow.account_id)
        .where(TokenRow.secret_sha256 == secret_sha256, TokenRow.revoked_at.is_(None), TokenRow.expires_at > now)
    )
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def list_tokens(session: Session, account_id: str) -> list[TokenRow]:
    """Tokens that are not revoked, newest first."""
    statement = (
        select(TokenRow)
        .where(TokenRow.account_id == account_id, TokenRow.revoked_at.is_(None))
        .order_by(TokenRow.id.desc())
        .limit(200)
    )
    return list(session.scalars(statement))


def find_token(session: Session, account_id: str, token_id: str) -> TokenRow | None:
    """The account's own token with that id, or None."""
    return session.scalar(select(TokenRow).where(TokenRow.id == token_id, TokenRow.account_id == account_id))


def revoke_by_secret(session: Session, secret_sha256: str, now: datetime) -> None:
    """Revoke the token with that secret; harmless when there is none."""
    statement = update(TokenRow).where(TokenRow.secret_sha256 == secret_sha256, TokenRow.revoked_at.is_(None))
    session.execute(statement.values(revoked_at=now))


def find_live_web_session(
    session: Session, secret_sha256: str, now: datetime
) -> tuple[WebSessionRow, AccountRow] | None:
    """A session that has not ended, with its account, or None."""
    statement = (
        select(WebSessionRow, AccountRow)
        .join(WebSessionRow, WebSessionRow.account_id == AccountRow.id)
        .where(WebSessionRow.secret_sha256 == secret_sha256, WebSessionRow.expires_at > now)
    )
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def web_sessions_of(session: Session, account_id: str, now: datetime) -> list[WebSessionRow]:
    """An account's sessions that have not ended, newest first."""
    statement = select(WebSessionRow).where(
        WebSessionRow.account_id == account_id, WebSessionRow.expires_at > now, WebSessionRow.kind != "ticket"
    )
    return list(session.scalars(statement.order_by(WebSessionRow.created_at.desc()).limit(200)))


def revoke_tokens_of(session: Session, account_id: str, now: datetime) -> None:
    """Revoke every token of an account."""
    statement = update(TokenRow).where(TokenRow.account_id == account_id, TokenRow.revoked_at.is_(None))
    session.execute(statement.values(revoked_at=now))


def forget_device_logins_of(session: Session, account_id: str) -> None:
    """Forget devices that this account has let in and that have not fetched their token yet."""
    session.execute(delete(DeviceLoginRow).where(DeviceLoginRow.account_id == account_id))


def remove_web_session(session: Session, secret_sha256: str) -> None:
    """End a browser's session; harmless when there is none."""
    session.execute(delete(WebSessionRow).where(WebSessionRow.secret_sha256 == secret_sha256))


def remove_web_sessions_of(session: Session, account_id: str) -> None:
    """Log every browser of an account out."""
    session.execute(delete(WebSessionRow).where(WebSessionRow.account_id == account_id))


def find_device_login(session: Session, device_code_sha256: str) -> DeviceLoginRow | None:
    """The device login with that device code, locked against a second poll."""
    statement = select(DeviceLoginRow).where(DeviceLoginRow.device_code_sha256 == device_code_sha256)
    return session.scalar(statement.with_for_update())


def find_waiting_device(session: Session, user_code: str, now: datetime) -> DeviceLoginRow | None:
    """A device that waits to be let in under that code, or None."""
    statement = select(DeviceLoginRow).where(
        DeviceLoginRow.user_code == user_code, DeviceLoginRow.state == "waiting", DeviceLoginRow.expires_at > now
    )
    return session.scalar(statement.with_for_update())


def forget_expired(session: Session, now: datetime) -> None:
    """Drop sessions, mailed secrets, device logins and tokens for one package that are over."""
    session.execute(delete(WebSessionRow).where(WebSessionRow.expires_at < now))
    session.execute(delete(DeviceLoginRow).where(DeviceLoginRow.expires_at < now))
    session.execute(delete(MailedSecretRow).where(MailedSecretRow.expires_at < now))
    session.execute(delete(TokenRow).where(TokenRow.expires_at < now, TokenRow.package_id.is_not(None)))
