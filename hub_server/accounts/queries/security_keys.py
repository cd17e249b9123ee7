"""SQL statements about security keys."""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from hub_server.accounts.models import SecurityKeyRow


def security_keys_of(session: Session, account_id: str) -> list[SecurityKeyRow]:
    """An account's security keys, oldest first."""
    statement = select(SecurityKeyRow).where(SecurityKeyRow.account_id == account_id)
    return list(session.scalars(statement.order_by(SecurityKeyRow.id)))


def find_security_key(session: Session, account_id: str, credential_id: str) -> SecurityKeyRow | None:
    """The account's key that calls itself so, which nobody else uses until this transaction ends; or None."""
    statement = select(SecurityKeyRow).where(
        SecurityKeyRow.account_id == account_id, SecurityKeyRow.credential_id == credential_id
    )
    return session.scalar(statement.with_for_update())


def is_key_known(session: Session, credential_id: str) -> bool:
    """Whether any account has a key that calls itself so."""
    return session.scalar(select(SecurityKeyRow.id).where(SecurityKeyRow.credential_id == credential_id)) is not None


def remove_security_key(session: Session, account_id: str, key_id: str) -> bool:
    """Forget a key; False when the account has no such one."""
    statement = delete(SecurityKeyRow).where(SecurityKeyRow.account_id == account_id, SecurityKeyRow.id == key_id)
    return session.scalar(statement.returning(SecurityKeyRow.id)) is not None


def remove_security_keys(session: Session, account_id: str) -> None:
    """Forget all keys of an account."""
    session.execute(delete(SecurityKeyRow).where(SecurityKeyRow.account_id == account_id))
