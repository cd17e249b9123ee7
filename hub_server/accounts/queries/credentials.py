"""Statements about what lets somebody in: tokens, browsers' sessions, device logins; and dropping what has expired."""

from datetime import datetime, timedelta

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from hub_server.accounts.models import (
    BROWSER,
    KNOWN_BROWSER,
    TICKET,
    AccountRow,
    DeviceLoginRow,
    MailedSecretRow,
    TokenRow,
    WebSessionRow,
)

KEPT_TOKENS = timedelta(days=90)
"""So long a token that has expired or was revoked stays on record."""


def find_live_token(session: Session, secret_sha256: str, now: datetime) -> tuple[TokenRow, AccountRow] | None:
    """A token that is neither revoked nor expired, with its account."""
    statement = (
        select(TokenRow, AccountRow)
        .join(AccountRow, AccountRow.id == TokenRow.account_id)
        .where(TokenRow.secret_sha256 == secret_sha256, TokenRow.revoked_at.is_(None), TokenRow.expires_at > now)
    )
    row = session.execute(statement).first()
    return (row[0], row[1]) if row else None


def list_tokens(session: Session, account_id: str, now: datetime) -> list[TokenRow]:
    """Tokens that are not revoked: those that hold, newest first, then those that have expired."""
    statement = (
        select(TokenRow)
        .where(TokenRow.account_id == account_id, TokenRow.revoked_at.is_(None))
        .order_by(TokenRow.expires_at <= now, TokenRow.id.desc())
        .limit(200)
    )
    return list(session.scalars(statement))


def count_tokens(session: Session, account_id: str, since: datetime) -> int:
    """How many tokens of an account hold beyond ``since``."""
    statement = select(func.count(TokenRow.id)).where(
        TokenRow.account_id == account_id, TokenRow.revoked_at.is_(None), TokenRow.expires_at > since
    )
    return session.scalar(statement) or 0


def find_token(session: Session, account_id: str, token_id: str) -> TokenRow | None:
    """The account's own token with that id, or None."""
    return session.scalar(select(TokenRow).where(TokenRow.id == token_id, TokenRow.account_id == account_id))


def revoke_by_secret(session: Session, secret_sha256: str, now: datetime) -> None:
    """Revoke the token with that secret; harmless when there is none."""
    statement = update(TokenRow).where(TokenRow.secret_sha256 == secret_sha256, TokenRow.revoked_at.is_(None))
    session.execute(statement.values(revoked_at=now))


def revoke_tokens_of(session: Session, account_id: str, now: datetime) -> None:
    """Revoke every token of an account."""
    statement = update(TokenRow).where(TokenRow.account_id == account_id, TokenRow.revoked_at.is_(None))
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
        WebSessionRow.account_id == account_id,
        WebSessionRow.expires_at > now,
        WebSessionRow.kind.not_in((TICKET, KNOWN_BROWSER)),
    )
    return list(session.scalars(statement.order_by(WebSessionRow.created_at.desc()).limit(200)))


def remove_web_session(session: Session, secret_sha256: str) -> None:
    """End a browser's session; harmless when there is none."""
    session.execute(delete(WebSessionRow).where(WebSessionRow.secret_sha256 == secret_sha256))


def remove_web_sessions_of(session: Session, account_id: str) -> None:
    """Log every browser of an account out, and forget which ones it knows."""
    session.execute(delete(WebSessionRow).where(WebSessionRow.account_id == account_id))


def account_of_device(session: Session, device_code_sha256: str) -> str | None:
    """The account that has decided about a device login, not locked."""
    statement = select(DeviceLoginRow.account_id).where(DeviceLoginRow.device_code_sha256 == device_code_sha256)
    return session.scalar(statement)


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


def waiting_login(session: Session, user_code: str, now: datetime) -> DeviceLoginRow | None:
    """The device that waits under that code; unlike :func:`find_waiting_device` it locks nothing."""
    return session.scalar(
        select(DeviceLoginRow).where(
            DeviceLoginRow.user_code == user_code, DeviceLoginRow.state == "waiting", DeviceLoginRow.expires_at > now
        )
    )


def forget_device_logins_of(session: Session, account_id: str) -> None:
    """Forget devices that this account has let in and that have not fetched their token yet."""
    session.execute(delete(DeviceLoginRow).where(DeviceLoginRow.account_id == account_id))


def forget_expired(session: Session, now: datetime) -> None:
    """Drop sessions, mailed secrets, device logins and tokens for one package that are over; other tokens later."""
    session.execute(delete(WebSessionRow).where(WebSessionRow.expires_at < now))
    session.execute(delete(DeviceLoginRow).where(DeviceLoginRow.expires_at < now))
    session.execute(delete(MailedSecretRow).where(MailedSecretRow.expires_at < now))
    session.execute(delete(TokenRow).where(TokenRow.expires_at < now, TokenRow.package_id.is_not(None)))
    long_ago = now - KEPT_TOKENS
    session.execute(delete(TokenRow).where(or_(TokenRow.expires_at < long_ago, TokenRow.revoked_at < long_ago)))


def keep_challenge(session: Session, secret_sha256: str, challenge: str, until: datetime) -> None:
    """What a key is asked to sign for a session; an older question of the session is forgotten."""
    session.execute(
        update(WebSessionRow)
        .where(WebSessionRow.secret_sha256 == secret_sha256)
        .values(challenge=challenge, challenge_until=until)
    )


def take_challenge(session: Session, secret_sha256: str, now: datetime) -> str | None:
    """What a key was asked to sign for a session, once; None: nothing, or too long ago."""
    row = session.scalar(select(WebSessionRow).where(WebSessionRow.secret_sha256 == secret_sha256).with_for_update())
    if row is None or row.challenge is None or row.challenge_until is None:
        return None
    challenge, until = row.challenge, row.challenge_until
    row.challenge = row.challenge_until = None
    return challenge if until > now else None


def forget_challenges(session: Session, account_id: str) -> None:
    """Forget what keys were asked for in any session of an account."""
    session.execute(
        update(WebSessionRow).where(WebSessionRow.account_id == account_id).values(challenge=None, challenge_until=None)
    )


def end_proofs_of(session: Session, account_id: str, but: str) -> None:
    """Forget that the password was typed in other sessions of an account than ``but`` (an id); drop tickets, and proofs
    that a device was allowed and has not fetched yet.
    """
    others = (WebSessionRow.account_id == account_id, ~WebSessionRow.secret_sha256.startswith(but, autoescape=True))
    session.execute(delete(WebSessionRow).where(*others, WebSessionRow.kind.not_in((BROWSER, KNOWN_BROWSER))))
    session.execute(update(WebSessionRow).where(*others).values(proven_at=None))
    proofs = (DeviceLoginRow.account_id == account_id, DeviceLoginRow.purpose == "proof")
    session.execute(delete(DeviceLoginRow).where(*proofs, DeviceLoginRow.state == "approved"))
