"""Sign up, log in, and find the account behind a credential."""

import logging
from dataclasses import dataclass, replace
from datetime import timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError
from sqlalchemy.exc import IntegrityError

from hub_server.accounts.actions.mailed_links import RESET, queue_confirmation
from hub_server.accounts.actions.second_factors import prove_factor
from hub_server.accounts.actions.security_keys import KeyAnswer
from hub_server.accounts.actions.suspensions import check_not_blocked, refuse_suspended
from hub_server.accounts.actions.tokens import issue_token
from hub_server.accounts.errors import AccountNotFoundError, NameTakenError, SignUpClosedError
from hub_server.accounts.models import PERSON, AccountRow, TokenRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.queries import mailed_secrets as mailed_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import role_of
from hub_server.accounts.rules.names import RESERVED_NAMES, fold_name
from hub_server.accounts.rules.secrets import PROOF_LIFETIME, is_token_shaped, known_scopes, secret_hash, session_id
from hub_server.database import activity
from hub_server.database.base import new_id
from hub_server.database.visibility import MAY_WRITE
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.caller import Caller, Credentials, require_caller
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import (
    SUDO_PREFIX,
    Account,
    AccountCreate,
    AccountCreated,
    Role,
    Scope,
    TokenCreate,
    TokenCreated,
)

_log = logging.getLogger("hub_server.accounts")
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)  # OWASP's figures for argon2id
# Verified when there is no such account, so that a wrong name takes as long as a wrong password.
_NOBODY = _HASHER.hash("nobody has this password")
_TOKEN_USE_GRAIN = timedelta(minutes=5)


@dataclass(frozen=True)
class FirstFactor:
    """The account whose password was right, and the hash that it was checked against. It opens nothing yet."""

    name: str
    stored_hash: str
    fresh_hash: str | None = None
    """A new hash of the same password with today's parameters, when the stored one is older."""


class ProvenPassword(FirstFactor):
    """As :class:`FirstFactor`, and the second factor was right too, or the account has none."""


def hash_password(password: str) -> str:
    """Hash a password. It takes tens of milliseconds on purpose, so call it before a transaction begins."""
    return _HASHER.hash(password)


def prove_password(
    services: Services, name: str, password: str, code: str = "", key: KeyAnswer | None = None
) -> ProvenPassword:
    """Check a password, and then ``key`` or ``code`` where the account has a second factor. No transaction may be open.

    Raises ``SecondFactorNeededError`` without either, and ``NotAuthenticatedError``.
    """
    return prove_second(services, prove_first(services, name, password), code, key)


def prove_second(services: Services, first: FirstFactor, code: str, key: KeyAnswer | None = None) -> ProvenPassword:
    """Check the second factor, where the account has one."""
    prove_factor(services, first.name, code, key)
    return ProvenPassword(first.name, first.stored_hash, first.fresh_hash)


def prove_first(services: Services, name: str, password: str) -> FirstFactor:
    """Check a password, with no transaction open: hashing is slow on purpose, and a write lock would block everybody.

    Every failure raises the same ``NotAuthenticatedError`` after the same time, so that names cannot be tried out.
    """
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
    return FirstFactor(name, stored, _HASHER.hash(password) if _HASHER.check_needs_rehash(stored) else None)


def account_proven(work: UnitOfWork, proven: FirstFactor) -> AccountRow:
    """The account, unless its password was changed after it was proven."""
    row = account_queries.find_account(work.session, proven.name)
    if row is None or row.password_hash != proven.stored_hash:
        raise NotAuthenticatedError("Name or password is wrong.")
    refuse_suspended(row)
    if proven.fresh_hash is not None:
        row.password_hash = proven.fresh_hash
    return row


def sign_up(
    work: UnitOfWork, request: AccountCreate, password_hash: str, *, by_operator: bool = False
) -> AccountCreated:
    """Make an account and its first token. ``password_hash``: of ``request.password``, by :func:`hash_password`.

    ``by_operator``: also where sign-up is closed, or the name is kept for a moderator; the address counts as confirmed.
    Raises ``NameTakenError`` for a name that is taken, reserved or a look-alike.
    """
    if not work.services.settings.sign_up_open and not by_operator:
        raise SignUpClosedError("This hub takes no new accounts: ask its operator.")
    check_name_is_free(work, request.name, by_operator=by_operator)
    now = work.now
    row = AccountRow(
        id=new_id(now),
        name=request.name,
        name_folded=fold_name(request.name),
        kind=PERSON,
        email=request.email,
        email_confirmed_at=now if by_operator else None,
        password_hash=password_hash,
        created_at=now,
    )
    work.session.add(row)
    try:
        work.session.flush()
    except IntegrityError as error:
        raise name_taken(request.name) from error
    settings = work.services.settings
    if (settings.mail.host or settings.confirmed_email_needed) and not by_operator:
        queue_confirmation(work, row)
    activity.note(work.session, now, row.id, "Sign up")
    created = issue_token(work, row.id, TokenCreate(name="sign-up"))
    return AccountCreated(account=account_of(work, row), token=created.secret)


def check_name_is_free(work: UnitOfWork, name: str, *, by_operator: bool = False) -> None:
    """Raise ``NameTakenError`` or ``NameBlockedError`` unless ``name`` can be given to a new account or organisation.

    Only the operator gives out a name that the settings make a moderator. Otherwise the first account to sign up under
    it would be a moderator.
    """
    if name in RESERVED_NAMES:
        raise NameTakenError(f"{name!r} is a reserved name: choose another.")
    if name in work.services.settings.moderators and not by_operator:
        raise NameTakenError(f"{name!r} is kept for a moderator: its operator makes it (`verihub admin make-admin`).")
    check_not_blocked(work, name)
    if account_queries.is_name_taken(work.session, name, fold_name(name)):
        raise name_taken(name)


def name_taken(name: str) -> NameTakenError:
    """The refusal for a name that is taken."""
    return NameTakenError(f"{name!r} is taken, or looks like a name that is: choose another.")


def log_in(work: UnitOfWork, proven: ProvenPassword, token_name: str) -> TokenCreated:
    """A fresh token for a name and a password."""
    row = account_proven(work, proven)
    activity.note(work.session, work.now, row.id, "Log in at a command line")
    return issue_token(work, row.id, TokenCreate(name=token_name[:80] or "login"))


def forget_expired(work: UnitOfWork) -> None:
    """Delete web sessions and device logins that have expired. Called by the worker."""
    credential_queries.forget_expired(work.session, work.now)


def change_password(work: UnitOfWork, proven: ProvenPassword, new_hash: str) -> None:
    """Set a new password. Browsers are logged out and every token is revoked: one of them may be why it is changed.

    The old password is required: a token is not enough.
    """
    caller = require_caller(work.caller)
    if proven.name != caller.name:
        raise NotAuthenticatedError("Name or password is wrong.")
    set_password(work, account_proven(work, proven), new_hash)


def set_password(work: UnitOfWork, row: AccountRow, new_hash: str) -> None:
    """Set a password, and end all that the old one has opened: browsers, tokens, devices, mailed links."""
    row.password_hash = new_hash
    credential_queries.remove_web_sessions_of(work.session, row.id)
    credential_queries.revoke_tokens_of(work.session, row.id, work.now)
    credential_queries.forget_device_logins_of(work.session, row.id)
    mailed_queries.forget_mailed_secrets(work.session, row.id, RESET)


def authenticate(work: UnitOfWork, credentials: Credentials) -> Caller | None:
    """The account behind a credential; None for an anonymous request.

    An invalid token is refused. An expired cookie counts as anonymous.
    """
    if credentials.token is not None:
        return _caller_of_token(work, credentials.token)
    if credentials.session_secret is not None:
        return _caller_of_session(work, credentials.session_secret, kind="browser")
    return None


def _caller_of_session(work: UnitOfWork, secret: str, kind: str) -> Caller | None:
    found = credential_queries.find_live_web_session(work.session, secret_hash(secret), work.now)
    if found is None or found[0].kind != kind or found[1].suspended_reason is not None:
        return None
    session, row = found
    is_proven = session.proven_at is not None and session.proven_at > work.now - PROOF_LIFETIME
    return replace(
        _caller(work, row, frozenset(Scope)),
        by_session=True,
        is_proven=is_proven,
        is_momentary=kind == "password",
        credential=session_id(session.secret_sha256),
    )


def _caller_of_token(work: UnitOfWork, secret: str) -> Caller:
    if secret.startswith(SUDO_PREFIX):
        person = _caller_of_session(work, secret, kind="password")
        if person is None:
            raise NotAuthenticatedError("This proof of your password has expired: type it again.")
        return person
    found = None
    if is_token_shaped(secret):
        found = credential_queries.find_live_token(work.session, secret_hash(secret), work.now)
    if found is None:
        raise NotAuthenticatedError(
            "This token is not known here, or was revoked, or has expired: log in again (`verihub login`)."
        )
    token, row = found
    refuse_suspended(row)
    _note_use(work, token)
    caller = _caller(work, row, frozenset(known_scopes(token.scopes)))
    return replace(caller, only_package=token.package_id or "")


def _note_use(work: UnitOfWork, token: TokenRow) -> None:
    """Keep ``last_used_at`` accurate to a few minutes, and only in transactions that write anyway. Reads stay reads."""
    is_stale = token.last_used_at is None or token.last_used_at < work.now - _TOKEN_USE_GRAIN
    if is_stale and work.session.info.get(MAY_WRITE):
        token.last_used_at = work.now


def _caller(work: UnitOfWork, row: AccountRow, scopes: frozenset[Scope]) -> Caller:
    roles = organization_queries.active_memberships_of(work.session, row.id)
    return Caller(
        account_id=row.id,
        name=row.name,
        scopes=scopes,
        is_moderator=Scope.MODERATE in scopes and is_moderator(work, row),
        organizations=frozenset(roles),
        maintained=frozenset(name for name, role in roles.items() if role_of(role) is not Role.MEMBER),
        must_confirm_email=work.services.settings.confirmed_email_needed and row.email_confirmed_at is None,
    )


def is_moderator(work: UnitOfWork, row: AccountRow) -> bool:
    """Whether an account has a moderator's powers: made one by the operator, or named in the settings."""
    return row.kind == PERSON and (row.is_moderator or row.name in work.services.settings.moderators)


def set_moderator(work: UnitOfWork, name: str, *, is_moderator: bool) -> None:
    """Make a person a moderator, or no longer one. Raises ``AccountNotFoundError``."""
    row = account_queries.find_account(work.session, name)
    if row is None or row.kind != PERSON:
        raise AccountNotFoundError(f"There is no account {name!r} on this hub.")
    row.is_moderator = is_moderator
    work.session.flush()


def get_account(work: UnitOfWork, name: str) -> Account:
    """An account as everybody may see it. Raises ``AccountNotFoundError``."""
    row = account_queries.find_account(work.session, name)
    if row is None or row.kind != PERSON:
        raise AccountNotFoundError(f"There is no account {name!r} on this hub.")
    return account_of(work, row)


def name_of(work: UnitOfWork, account_id: str) -> str:
    """The name of an account that exists."""
    row = work.session.get(AccountRow, account_id)
    assert row is not None
    return row.name


def find_caller_account(work: UnitOfWork) -> Account | None:
    """The account behind this request, or None."""
    return get_account(work, work.caller.name) if work.caller is not None else None


def account_of(work: UnitOfWork, row: AccountRow) -> Account:
    """An account as the API shows it: without e-mail address and password."""
    return Account(
        name=row.name,
        created_at=row.created_at,
        is_moderator=is_moderator(work, row),
        suspended_reason=row.suspended_reason,
    )
