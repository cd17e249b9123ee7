"""Log in, and find the account behind a credential, with what it may do."""

from dataclasses import replace
from datetime import timedelta

from hub_server.accounts.actions.passwords import ProvenPassword, account_proven
from hub_server.accounts.actions.suspensions import refuse_suspended
from hub_server.accounts.actions.tokens import issue_token
from hub_server.accounts.models import BROWSER, DELETED, PERSON, TYPED_PASSWORD, AccountRow, TokenRow
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.queries import organizations as organization_queries
from hub_server.accounts.rules.memberships import COUNTED_AFTER_LEAVING, role_of
from hub_server.accounts.rules.secrets import PROOF_LIFETIME, is_token_shaped, known_scopes, secret_hash, session_id
from hub_server.database import activity
from hub_server.database.visibility import MAY_WRITE
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.caller import Caller, Credentials, ProvenFactor
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import (
    SUDO_PREFIX,
    Role,
    Scope,
    TokenCreate,
    TokenCreated,
)

_TOKEN_USE_GRAIN = timedelta(minutes=5)  # a write with each request would cost more than the exact time is worth


def log_in(work: UnitOfWork, proven: ProvenPassword, token_name: str) -> TokenCreated:
    """A fresh token for a name and a password."""
    row = account_proven(work, proven)
    activity.note(work.session, work.now, row.id, "Log in at a command line")
    return issue_token(work, row.id, TokenCreate(name=token_name[:80] or "login"))


def forget_expired(work: UnitOfWork) -> None:
    """Delete web sessions and device logins that have expired, and who left long ago. Called by the worker."""
    credential_queries.forget_expired(work.session, work.now)
    organization_queries.forget_former_members(work.session, work.now - COUNTED_AFTER_LEAVING)


def authenticate(work: UnitOfWork, credentials: Credentials) -> Caller | None:
    """The account behind a credential; None for an anonymous request.

    An invalid token is refused. An expired cookie counts as anonymous.
    """
    if credentials.token is not None:
        return _caller_of_token(work, credentials.token)
    if credentials.session_secret is not None:
        return _caller_of_session(work, credentials.session_secret, kind=BROWSER, factor=credentials.factor)
    return None


def _caller_of_session(work: UnitOfWork, secret: str, kind: str, factor: ProvenFactor | None = None) -> Caller | None:
    found = credential_queries.find_live_web_session(work.session, secret_hash(secret), work.now)
    if found is None or found[0].kind != kind or found[1].suspended_reason is not None or found[1].kind == DELETED:
        return None
    session, row = found
    is_proven = session.proven_at is not None and session.proven_at > work.now - PROOF_LIFETIME
    return replace(
        _caller(work, row, frozenset(Scope)),
        by_session=True,
        is_proven=is_proven,
        has_shown_factor=kind == TYPED_PASSWORD or (factor is not None and factor.account_id == row.id),
        credential=session_id(session.secret_sha256),
    )


def _caller_of_token(work: UnitOfWork, secret: str) -> Caller:
    if secret.startswith(SUDO_PREFIX):
        person = _caller_of_session(work, secret, kind=TYPED_PASSWORD)
        if person is None:
            raise NotAuthenticatedError("This proof of your password has expired: type it again.")
        return person
    found = None
    if is_token_shaped(secret):
        found = credential_queries.find_live_token(work.session, secret_hash(secret), work.now)
    if found is None or found[1].kind == DELETED:  # made while its account was being deleted
        raise NotAuthenticatedError(
            "This token is not known here, or was revoked, or has expired: log in again (`verihub login`)."
        )
    token, row = found
    refuse_suspended(row)
    _note_use(work, token)
    caller = _caller(work, row, frozenset(known_scopes(token.scopes)))
    return replace(caller, only_package=token.package_id or "", only_owner=token.owner or "")


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
