"""Sessions: browsers that are logged in, and proofs of the password that hold for some minutes."""

import secrets
from datetime import timedelta

from hub_server.accounts.actions.accounts import account_of
from hub_server.accounts.actions.passwords import FirstFactor, ProvenPassword, account_proven, prove_second
from hub_server.accounts.actions.security_keys import KeyAnswer
from hub_server.accounts.errors import TokenNotFoundError
from hub_server.accounts.models import BROWSER, TICKET, TYPED_PASSWORD, AccountRow, WebSessionRow
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.rules.second_factors import TICKET_LIFETIME
from hub_server.accounts.rules.secrets import PROOF_LIFETIME, secret_hash, session_id
from hub_server.database import activity
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.caller import SESSION_LIFETIME, require_caller, require_person
from hub_server.kernel.services import Services
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import SUDO_PREFIX, Account, SudoCreated, WebSession

_CLIENT_LETTERS = 200  # chosen: what is kept of the name that a browser gives itself


def open_web_session(work: UnitOfWork, proven: ProvenPassword, client: str = "") -> tuple[Account, str]:
    """Log a browser in: returns the account and the secret for its cookie. ``client``: what it calls itself."""
    row = account_proven(work, proven)
    secret = secrets.token_urlsafe(32)
    _add(work, row, secret, BROWSER, SESSION_LIFETIME, client)
    activity.note(work.session, work.now, row.id, "Log in at a browser")
    return account_of(work, row), secret


def open_proof(work: UnitOfWork, proven: ProvenPassword) -> SudoCreated:
    """A secret that acts as the person until the proof is too old. A token's holder proves its own account only."""
    row = account_proven(work, proven)
    if work.caller is not None and work.caller.name != row.name:
        raise NotAuthenticatedError("Name or password is wrong.")
    activity.note(work.session, work.now, row.id, "Type the password again")
    return make_proof(work, row)


def make_proof(work: UnitOfWork, row: AccountRow) -> SudoCreated:
    """A secret that acts as the account for minutes, for whoever has shown all that its person must."""
    secret = SUDO_PREFIX + secrets.token_urlsafe(32)
    session = _add(work, row, secret, TYPED_PASSWORD, PROOF_LIFETIME, "")
    return SudoCreated(secret=secret, expires_at=session.expires_at)


def open_ticket(work: UnitOfWork, first: FirstFactor) -> str:
    """A secret that stands for a right password until the code is typed. It opens nothing by itself."""
    secret = secrets.token_urlsafe(32)
    _add(work, account_proven(work, first), secret, TICKET, TICKET_LIFETIME, "")
    return secret


def redeem_ticket(services: Services, secret: str, code: str, key_answer: str = "") -> ProvenPassword:
    """Check the code, or the security key's answer, of whoever holds a ticket. Raises ``NotAuthenticatedError``."""
    with services.database.reading() as session:
        found = credential_queries.find_live_web_session(session, secret_hash(secret), services.clock.now())
        if found is None or found[0].kind != TICKET:
            raise NotAuthenticatedError("Signing in took too long: start again.")
        first = FirstFactor(found[1].name, found[1].password_hash)
    proven = prove_second(services, first, code, KeyAnswer(key_answer, secret) if key_answer else None)
    with services.database.writing() as session:
        credential_queries.remove_web_session(session, secret_hash(secret))
    return proven


def _add(work: UnitOfWork, row: AccountRow, secret: str, kind: str, lifetime: timedelta, client: str) -> WebSessionRow:
    now = work.now
    session = WebSessionRow(
        secret_sha256=secret_hash(secret),
        account_id=row.id,
        kind=kind,
        client="".join(letter for letter in client if letter.isprintable())[:_CLIENT_LETTERS],
        proven_at=now,
        created_at=now,
        expires_at=now + lifetime,
    )
    work.session.add(session)
    return session


def prove_again(work: UnitOfWork, proven: ProvenPassword, secret: str) -> str:
    """The person at this browser has typed the password again. Returns the new secret for its cookie.

    The old one ends: a copy that somebody made of it gains nothing by what the person has typed, and is logged out.
    ``secret`` must be of the session by which the caller came: a request may bring a proof as its token and another
    account's cookie, and that account's password was not typed.
    """
    caller = require_person(work.caller)
    row = account_proven(work, proven)
    found = credential_queries.find_live_web_session(work.session, secret_hash(secret), work.now)
    is_own = found is not None and session_id(found[0].secret_sha256) == caller.credential
    if row.id != caller.account_id or found is None or not is_own:
        raise NotAuthenticatedError("Name or password is wrong.")
    fresh = secrets.token_urlsafe(32)
    found[0].secret_sha256, found[0].proven_at = secret_hash(fresh), work.now
    return fresh


def close_web_session(work: UnitOfWork, secret: str) -> None:
    """Log a browser out. Harmless when it was not logged in."""
    credential_queries.remove_web_session(work.session, secret_hash(secret))


def list_web_sessions(work: UnitOfWork) -> list[WebSession]:
    """The caller's sessions, newest first. A token does not see them."""
    caller = require_person(work.caller)
    return [
        WebSession(
            id=session_id(row.secret_sha256),
            kind="password" if row.kind == TYPED_PASSWORD else "browser",
            client=row.client,
            created_at=row.created_at,
            expires_at=row.expires_at,
            is_current=session_id(row.secret_sha256) == caller.credential,
        )
        for row in credential_queries.web_sessions_of(work.session, caller.account_id, work.now)
    ]


def end_web_session(work: UnitOfWork, identifier: str) -> None:
    """End one of the caller's sessions. Raises ``TokenNotFoundError`` for an id that is none of them."""
    caller = require_caller(require_person(work.caller))
    for row in credential_queries.web_sessions_of(work.session, caller.account_id, work.now):
        if session_id(row.secret_sha256) == identifier:
            work.session.delete(row)
            return
    raise TokenNotFoundError("You have no session with this id: it may have ended. /account lists those that are left.")
