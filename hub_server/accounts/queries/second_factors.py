"""SQL statements about second factors: apps, recovery codes, and whether an account has any."""

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from hub_server.accounts.models import RecoveryCodeRow, SecondFactorRow, SecurityKeyRow


def find_app(session: Session, account_id: str) -> SecondFactorRow | None:
    """The account's authenticator app if it is switched on, which nobody else uses until this transaction ends."""
    statement = select(SecondFactorRow).where(
        SecondFactorRow.account_id == account_id, SecondFactorRow.enabled_at.is_not(None)
    )
    return session.scalar(statement.with_for_update())


def second_factors_of(session: Session, account_id: str) -> tuple[bool, bool]:
    """Whether an account has an authenticator app that is switched on, and whether it has a security key."""
    app = exists().where(SecondFactorRow.account_id == account_id, SecondFactorRow.enabled_at.is_not(None))
    key = exists().where(SecurityKeyRow.account_id == account_id)
    found = session.execute(select(app, key)).one()
    return bool(found[0]), bool(found[1])


def has_second_factor(session: Session, account_id: str) -> bool:
    """Whether an account has any."""
    return any(second_factors_of(session, account_id))


def count_recovery_codes(session: Session, account_id: str) -> int:
    """How many are left."""
    codes = select(func.count()).select_from(RecoveryCodeRow).where(RecoveryCodeRow.account_id == account_id)
    return session.scalar(codes) or 0


def remove_recovery_code(session: Session, account_id: str, code_sha256: str) -> bool:
    """Use a recovery code up; False when there is no such one."""
    statement = delete(RecoveryCodeRow).where(
        RecoveryCodeRow.account_id == account_id, RecoveryCodeRow.code_sha256 == code_sha256
    )
    return session.scalar(statement.returning(RecoveryCodeRow.code_sha256)) is not None


def remove_app(session: Session, account_id: str) -> None:
    """Forget the secret of an account's authenticator app."""
    session.execute(delete(SecondFactorRow).where(SecondFactorRow.account_id == account_id))


def remove_unfinished_app(session: Session, account_id: str) -> None:
    """Forget a secret that is not switched on: who was given it before a factor came must not use it after."""
    session.execute(
        delete(SecondFactorRow).where(SecondFactorRow.account_id == account_id, SecondFactorRow.enabled_at.is_(None))
    )


def remove_recovery_codes(session: Session, account_id: str) -> None:
    """Forget an account's recovery codes."""
    session.execute(delete(RecoveryCodeRow).where(RecoveryCodeRow.account_id == account_id))
