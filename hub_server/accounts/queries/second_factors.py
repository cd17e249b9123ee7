"""Statements about second factors and recovery codes."""

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from hub_server.accounts.models import AccountRow, RecoveryCodeRow, SecondFactorRow


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
