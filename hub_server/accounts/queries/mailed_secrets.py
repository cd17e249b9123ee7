"""Statements about secrets that were sent by mail: links that confirm an address or set a password."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from hub_server.accounts.models import AccountRow, MailedSecretRow


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
