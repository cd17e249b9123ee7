"""Make, list and revoke tokens."""

from collections.abc import Sequence
from datetime import timedelta

from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import TokenNotFoundError, TooManyTokensError
from hub_server.accounts.models import TokenRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.rules.secrets import is_token_shaped, known_scopes, make_token_secret, secret_hash
from hub_server.database import visibility
from hub_server.database.base import new_id
from hub_server.errors import InvalidRequestError
from hub_server.kernel.caller import require_owner, require_person, require_publisher
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import Scope, Token, TokenCreate, TokenCreated

MOST_TOKENS = 100  # chosen: a login of each day for the three months that it holds
_PASSING = timedelta(hours=1)
"""A token that ends within this time does not count: those of workflows hold for minutes."""


def create_token(work: UnitOfWork, request: TokenCreate) -> TokenCreated:
    """Make a token for the caller, who has just typed the password, and the second factor for this very token.

    No token makes tokens; otherwise a leaked one could outlive its end.

    Raises ``InvalidRequestError`` for a token of one package or owner with another scope than ``publish``, and
    ``NotAllowedError`` for one that the caller cannot publish, or publish for.
    """
    caller = require_proof(work)
    if request.package is None and request.owner is None:
        return issue_token(work, caller.account_id, request)
    if request.package is not None and request.owner is not None:
        raise InvalidRequestError("A token is of one package or of one owner, not both.")
    if "scopes" in request.model_fields_set and set(request.scopes) != {Scope.PUBLISH}:
        raise InvalidRequestError("A token of one package or owner has the scope 'publish' and no other.")
    lifetime = timedelta(days=request.expires_days)
    if request.package is not None:
        require_publisher(caller, request.package, visibility.owner_of(work.session, request.package))
        return issue_publishing_token(work, caller.account_id, request.name, request.package, lifetime)
    require_owner(caller, request.owner or "", Scope.PUBLISH)
    return _issue(work, caller.account_id, request.name, [Scope.PUBLISH], lifetime, owner=request.owner)


def issue_token(work: UnitOfWork, account_id: str, request: TokenCreate) -> TokenCreated:
    """Make a token for ``account_id``. Its secret is in the answer and is stored nowhere."""
    return _issue(work, account_id, request.name, request.scopes, timedelta(days=request.expires_days))


def issue_publishing_token(
    work: UnitOfWork, account_id: str, name: str, package_id: str, lifetime: timedelta
) -> TokenCreated:
    """Make a token that may publish one package of ``account_id``, and nothing else."""
    return _issue(work, account_id, name, [Scope.PUBLISH], lifetime, package_id)


def _issue(  # noqa: PLR0917 -- what a row holds
    work: UnitOfWork,
    account_id: str,
    name: str,
    scopes: Sequence[Scope],
    lifetime: timedelta,
    package_id: str | None = None,
    owner: str | None = None,
) -> TokenCreated:
    secret = make_token_secret()
    now = work.now
    is_operators = work.caller is not None and work.caller.is_operator
    if lifetime > _PASSING and not is_operators:
        _refuse_too_many(work, account_id)
    row = TokenRow(
        id=new_id(now),
        account_id=account_id,
        name=name,
        secret_sha256=secret_hash(secret),
        scopes=[scope.value for scope in scopes],
        created_at=now,
        expires_at=now + lifetime,
        package_id=package_id,
        owner=owner,
    )
    work.session.add(row)
    work.session.flush()
    return TokenCreated(token=_token_of(row), secret=secret)


def _refuse_too_many(work: UnitOfWork, account_id: str) -> None:
    """Of two tokens that are asked for at once, the second is counted with the first."""
    account_queries.lock_account(work.session, account_id)
    if credential_queries.count_tokens(work.session, account_id, work.now + _PASSING) >= MOST_TOKENS:
        raise TooManyTokensError(
            f"You have {MOST_TOKENS} tokens, which is the most that one account may have: revoke those that you do not "
            "need, on your account's page."
        )


def list_tokens(work: UnitOfWork) -> list[Token]:
    """The caller's tokens that are not revoked, without their secrets: those that hold, newest first, then others."""
    caller = require_person(work.caller)
    return [_token_of(row) for row in credential_queries.list_tokens(work.session, caller.account_id, work.now)]


def revoke_token(work: UnitOfWork, token_id: str) -> None:
    """Revoke one of the caller's tokens. A token of somebody else is not found."""
    caller = require_person(work.caller)
    row = credential_queries.find_token(work.session, caller.account_id, token_id)
    if row is None:
        raise TokenNotFoundError("You have no token with this id.")
    if row.revoked_at is None:
        row.revoked_at = work.now


def revoke_found_token(work: UnitOfWork, secret: str) -> None:
    """Revoke a token that anybody found. The answer does not say whether it was a token."""
    if is_token_shaped(secret):
        credential_queries.revoke_by_secret(work.session, secret_hash(secret), work.now)


def _token_of(row: TokenRow) -> Token:
    return Token(
        id=row.id,
        name=row.name,
        scopes=known_scopes(row.scopes),
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        package=row.package_id,
        owner=row.owner,
    )
