"""Passwords: hashed, proven (with a second factor where there is one), changed, and set anew by a mailed link."""

import logging
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from hub_server.accounts.actions.mailed_links import RESET, take_mailed_secret
from hub_server.accounts.actions.password_tries import forget_tries, give_try_back, take_try
from hub_server.accounts.actions.second_factors import prove_factor
from hub_server.accounts.actions.security_keys import KeyAnswer
from hub_server.accounts.actions.suspensions import refuse_suspended
from hub_server.accounts.errors import SecondFactorNeededError
from hub_server.accounts.models import AccountRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.queries import mailed_secrets as mailed_queries
from hub_server.accounts.queries import second_factors as factor_queries
from hub_server.database import activity
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.caller import ProvenFactor, require_caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork

_log = logging.getLogger("hub_server.accounts")
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)  # OWASP's figures for argon2id
# Verified when there is no such account, so that a wrong name takes as long as a wrong password.
_NOBODY = _HASHER.hash("nobody has this password")


@dataclass(frozen=True)
class FirstFactor:
    """The account whose password was right, and the hash that it was checked against. It opens nothing yet."""

    name: str
    stored_hash: str
    fresh_hash: str | None = None
    """A new hash of the same password with today's parameters, when the stored one is older."""


@dataclass(frozen=True)
class ProvenPassword(FirstFactor):
    """As :class:`FirstFactor`, and the second factor was right too, or the account had none."""

    factor: ProvenFactor | None = None


def hash_password(password: str) -> str:
    """Hash a password. It takes tens of milliseconds on purpose, so call it before a transaction begins."""
    return _HASHER.hash(password)


def prove_password(
    services: Services, name: str, password: str, code: str = "", key: KeyAnswer | None = None, *, known: str = ""
) -> ProvenPassword:
    """Check a password, and then ``key`` or ``code`` where the account has a second factor. No transaction may be open.

    Raises ``SecondFactorNeededError`` without either, ``NotAuthenticatedError``, and ``TooManyRequestsError``.
    """
    return prove_second(services, prove_first(services, name, password, known=known), code, key)


def prove_second(services: Services, first: FirstFactor, code: str, key: KeyAnswer | None = None) -> ProvenPassword:
    """Check the second factor, where the account has one."""
    factor = prove_factor(services, first.name, code, key)
    return ProvenPassword(first.name, first.stored_hash, first.fresh_hash, factor)


def prove_first(services: Services, name: str, password: str, *, known: str = "") -> FirstFactor:
    """Check a password, with no transaction open: hashing is slow on purpose, and a write lock would block everybody.

    Every failure raises the same ``NotAuthenticatedError`` after the same time, so that names cannot be tried out.
    ``known``: see ``password_tries``, which raises ``TooManyRequestsError`` after too many wrong ones.
    """
    take_try(services, name, known)
    with services.database.reading() as session:
        row = account_queries.find_account(session, name)
        stored = row.password_hash if row is not None and row.password_hash else _NOBODY
    try:
        _HASHER.verify(stored, password)
        is_right = stored is not _NOBODY
    except VerifyMismatchError:
        is_right = False
    except (VerificationError, InvalidHashError) as error:  # no answer of its own: it would say that the name exists
        _log.error("the stored password of account %r cannot be checked: %s", name, error)
        is_right = False
    if not is_right:
        raise NotAuthenticatedError("Name or password is wrong.")
    give_try_back(services, name, known)
    return FirstFactor(name, stored, _HASHER.hash(password) if _HASHER.check_needs_rehash(stored) else None)


def account_proven(work: UnitOfWork, proven: FirstFactor) -> AccountRow:
    """The account, unless its password was changed after it was proven, or a second factor came that was not.

    Raises ``NotAuthenticatedError`` and ``SecondFactorNeededError``.
    """
    row = account_queries.find_account(work.session, proven.name)
    if row is None or row.password_hash != proven.stored_hash:
        raise NotAuthenticatedError("Name or password is wrong.")
    refuse_suspended(row)
    if isinstance(proven, ProvenPassword) and proven.factor is None:
        account_queries.lock_account(work.session, row.id)  # as whoever adds a factor does
        if factor_queries.has_second_factor(work.session, row.id):
            raise SecondFactorNeededError("A second factor was added to this account just now: send its code too.")
    if proven.fresh_hash is not None:
        row.password_hash = proven.fresh_hash
    return row


def change_password(work: UnitOfWork, proven: ProvenPassword, new_hash: str) -> None:
    """Set a new password. Browsers are logged out and every token is revoked: one of them may be why it is changed.

    The old password is required: a token is not enough.
    """
    caller = require_caller(work.caller)
    if proven.name != caller.name:
        raise NotAuthenticatedError("Name or password is wrong.")
    set_password(work, account_proven(work, proven), new_hash)


def set_password(work: UnitOfWork, row: AccountRow, new_hash: str) -> None:
    """Set a password, and end all that the old one has opened: browsers, tokens, devices, mailed links.

    Codes of the app are taken again at once: who typed the wrong ones knew the old password. Browsers that were known
    are so no more: who has lost the password may have signed in with others.
    """
    row.password_hash = new_hash
    credential_queries.remove_web_sessions_of(work.session, row.id)
    credential_queries.revoke_tokens_of(work.session, row.id, work.now)
    credential_queries.forget_device_logins_of(work.session, row.id)
    mailed_queries.forget_mailed_secrets(work.session, row.id, RESET)
    forget_tries(work, row.name)
    app = factor_queries.find_app(work.session, row.id)
    if app is not None:
        app.failures, app.locked_until = 0, None


def reset_password(work: UnitOfWork, code: str, new_hash: str) -> str:
    """Set a password by the code that was mailed; returns the account's name. A code can be used once.

    As when the password is changed, every browser and every token ends. The mail has arrived, so its address is
    confirmed too. A second factor stays. Raises ``TokenNotFoundError``.
    """
    _, row = take_mailed_secret(work, code, RESET)
    refuse_suspended(row)
    row.email_confirmed_at = row.email_confirmed_at or work.now
    set_password(work, row, new_hash)
    activity.note(work.session, work.now, row.id, "Set a new password by a mailed link", by="mail")
    return row.name
