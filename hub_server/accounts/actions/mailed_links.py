"""Links in mails: one that sets a new password, and one that confirms an address.

A request only queues a job, whichever account it names. So neither its answer nor the time that it takes tells which
accounts exist.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from hub_server.accounts.actions.notices import queue_notice
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import TokenNotFoundError
from hub_server.accounts.models import PERSON, AccountRow, MailedSecretRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import mailed_secrets as mailed_queries
from hub_server.accounts.rules.secrets import (
    CONFIRMATION_LIFETIME,
    FRESH_ADDRESS,
    MAIL_PAUSE,
    RESET_LIFETIME,
    secret_hash,
)
from hub_server.database import activity
from hub_server.kernel.caller import require_person
from hub_server.kernel.job_names import JobName
from hub_server.kernel.texts import check_text
from hub_server.kernel.unit_of_work import UnitOfWork
from hub_server.ports.mailer import Mail
from schemas.account import EmailState
from schemas.emails import is_email

RESET, CONFIRMATION = "reset", "confirmation"
_ACCOUNTS_OF_AN_ADDRESS = 5  # chosen: each gets a mail


@dataclass(frozen=True)
class _Kind:
    path: str
    subject: str
    text: str
    lifetime: timedelta


_KINDS = {
    RESET: _Kind(
        path="/account/recovery/password",
        subject="A new password for Verihub",
        text="Somebody, we hope you, asked for a new password for the account {name}. Set it here, within an hour:\n\n"
        "{link}\n\nIf it was not you, do nothing: your password stays as it is.\n",
        lifetime=RESET_LIFETIME,
    ),
    CONFIRMATION: _Kind(
        path="/account/email/confirmation",
        subject="Confirm your e-mail address for Verihub",
        text="The account {name} says that this is its address. Confirm it here, within three days:\n\n"
        "{link}\n\nIf this is not your account, do nothing.\n",
        lifetime=CONFIRMATION_LIFETIME,
    ),
}


def ask_for_reset(work: UnitOfWork, account: str) -> None:
    """Have a link mailed to the account of that name, or to the accounts of that address. Unknown ones look alike."""
    check_text(account, "The account")
    wanted = account.strip()
    digest = hashlib.sha256(wanted.lower().encode("utf-8", "replace")).hexdigest()
    work.queue(JobName.SEND_RESET, {"account": wanted}, unique_key=f"reset:{digest}")


def ask_for_confirmation(work: UnitOfWork) -> None:
    """Have a link mailed to the caller's own address; no token asks for mail."""
    row = account_queries.find_account(work.session, require_person(work.caller).name)
    assert row is not None
    queue_confirmation(work, row)


def queue_confirmation(work: UnitOfWork, row: AccountRow) -> None:
    """Mail the account a link to confirm its address, unless it has."""
    if row.email_confirmed_at is None:
        payload = {"account": row.name}
        work.queue(JobName.SEND_CONFIRMATION, payload, unique_key=f"confirmation:{row.id}")


def change_email(work: UnitOfWork, email: str) -> None:
    """Another address, not confirmed yet. Links that went to the old one are good for nothing any more, and for three
    days no new password is mailed to the new one.
    """
    row = account_queries.find_account(work.session, require_proof(work).name)
    assert row is not None
    if row.email == email:
        return
    queue_notice(work, "email_changed", row, thing=row.name)
    row.email, row.email_confirmed_at, row.email_changed_at = email, None, work.now
    mailed_queries.forget_mailed_secrets(work.session, row.id, RESET)
    mailed_queries.forget_mailed_secrets(work.session, row.id, CONFIRMATION)
    queue_confirmation(work, row)


def get_email(work: UnitOfWork) -> EmailState:
    """The caller's own address, and whether it is confirmed. A token does not see it."""
    row = account_queries.find_account(work.session, require_person(work.caller).name)
    assert row is not None
    needed = work.services.settings.confirmed_email_needed
    return EmailState(email=row.email, confirmed_at=row.email_confirmed_at, is_needed=needed)


def confirmed_address(work: UnitOfWork, account_id: str) -> str | None:
    """Where an account may be mailed what it asked for; None: its address is not confirmed, or it is suspended."""
    row = work.session.get(AccountRow, account_id)
    if row is None or row.email_confirmed_at is None or row.suspended_reason is not None:
        return None
    return row.email or None


def find_receivers(work: UnitOfWork, account: str, purpose: str) -> list[str]:
    """In a job: ids of the accounts to mail to, without those that cannot log in or need no confirmation."""
    if is_email(account):
        found = account_queries.people_of_email(work.session, account, _ACCOUNTS_OF_AN_ADDRESS)
    else:
        row = account_queries.find_account(work.session, account.lower())
        found = [row] if row is not None else []
    return [
        row.id
        for row in found
        if row.kind == PERSON
        and row.email
        and row.password_hash
        and row.suspended_reason is None
        and not (purpose == CONFIRMATION and row.email_confirmed_at is not None)
        and not (purpose == RESET and _is_fresh(work, row))
    ]


def _is_fresh(work: UnitOfWork, row: AccountRow) -> bool:
    return row.email_changed_at is not None and row.email_changed_at > work.now - FRESH_ADDRESS


def write_mail(work: UnitOfWork, account_id: str, purpose: str, job_id: str) -> Mail | None:
    """In a job: keep a fresh secret's hash, and return the mail that carries it. None: one was sent just now."""
    row = work.session.get(AccountRow, account_id)
    if row is None or mailed_queries.was_mailed_since(work.session, row.id, purpose, work.now - MAIL_PAUSE, job_id):
        return None
    mailed_queries.forget_mailed_by(work.session, job_id, row.id)
    kind, secret, now = _KINDS[purpose], secrets.token_urlsafe(32), work.now
    work.session.add(
        MailedSecretRow(
            secret_sha256=secret_hash(secret),
            account_id=row.id,
            purpose=purpose,
            email=row.email,
            job_id=job_id,
            created_at=now,
            expires_at=now + kind.lifetime,
        )
    )
    link = f"{work.services.settings.public_url.rstrip('/')}{kind.path}?code={secret}"
    return Mail(to=row.email, subject=kind.subject, text=kind.text.format(name=row.name, link=link))


def confirm_email(work: UnitOfWork, code: str) -> str:
    """Confirm an address by the code that was mailed to it; returns the account's name. A code can be used once."""
    secret, row = take_mailed_secret(work, code, CONFIRMATION)
    row.email_confirmed_at = work.now
    mailed_queries.forget_mailed_secrets(work.session, secret.account_id, CONFIRMATION)
    activity.note(work.session, work.now, row.id, "Confirm an e-mail address", by="mail")
    return row.name


def check_reset(work: UnitOfWork, code: str) -> None:
    """Raise ``TokenNotFoundError`` unless the code would set a password."""
    take_mailed_secret(work, code, RESET, lock=False)


def take_mailed_secret(
    work: UnitOfWork, code: str, purpose: str, *, lock: bool = True
) -> tuple[MailedSecretRow, AccountRow]:
    """What a mailed code stands for. Raises ``TokenNotFoundError``: unknown, used, too old, or of another address."""
    found = mailed_queries.find_mailed_secret(work.session, secret_hash(code), purpose, work.now, lock=lock)
    if found is None:
        raise TokenNotFoundError("This link is not known here, was used, or is too old: ask for another.")
    return found
