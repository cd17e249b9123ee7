"""Keys that an account signs its releases with: registered and removed by the person alone, with the password."""

from hub_server.accounts.actions.notices import tell_account
from hub_server.accounts.actions.step_up import require_proof
from hub_server.accounts.errors import AuthorKeyError, TokenNotFoundError
from hub_server.accounts.models import AuthorKeyRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import author_keys as key_queries
from hub_server.kernel.caller import require_caller
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import AuthorKey, AuthorKeyCreate
from schemas.journal.authors import is_claimed
from schemas.journal.signed_note import key_id

MOST_KEYS = 10  # chosen, not measured


def list_author_keys(work: UnitOfWork) -> list[AuthorKey]:
    """The caller's keys, oldest first."""
    caller = require_caller(work.caller)
    return [_key_of(row) for row in key_queries.author_keys_of(work.session, caller.account_id)]


def add_author_key(work: UnitOfWork, request: AuthorKeyCreate) -> AuthorKey:
    """Register a key whose holder has signed that it is the caller's. One that is registered already stays so.

    The password must have been typed just now: whoever steals a token can publish with it, and must not be able to make
    that look like the author's own signature. Raises ``AuthorKeyError``.
    """
    caller = require_proof(work)
    if not is_claimed(request.public_key, request.claim, caller.name):
        raise AuthorKeyError(f"The key has not signed that it is {caller.name}'s: `verihub key new` does it.")
    account_queries.lock_account(work.session, caller.account_id)
    known = key_queries.find_author_key(work.session, request.public_key)
    if known is not None and known.account_id != caller.account_id:
        raise AuthorKeyError("Another account has this key: make one of your own.")
    if known is not None:
        return _key_of(known)
    if len(key_queries.author_keys_of(work.session, caller.account_id)) >= MOST_KEYS:
        raise AuthorKeyError(f"An account has {MOST_KEYS} keys at most: remove one first (`verihub key remove`).")
    row = AuthorKeyRow(public_key=request.public_key, account_id=caller.account_id, added_at=work.now)
    work.session.add(row)
    tell_account(work, caller.account_id, "author_key_added", other=key_id(row.public_key))
    return _key_of(row)


def remove_author_key(work: UnitOfWork, wanted: str) -> None:
    """Take no new release with this key any more. Those that it has signed keep their signature."""
    caller = require_proof(work)
    rows = key_queries.author_keys_of(work.session, caller.account_id)
    row = next((row for row in rows if key_id(row.public_key) == wanted), None)
    if row is None:
        raise TokenNotFoundError(f"Your account has no key {wanted!r} (`verihub key show`).")
    work.session.delete(row)
    tell_account(work, caller.account_id, "author_key_removed", other=wanted)


def has_author_key(work: UnitOfWork, account_id: str, public_key: str) -> bool:
    """Whether the account has registered this key."""
    row = key_queries.find_author_key(work.session, public_key)
    return row is not None and row.account_id == account_id


def _key_of(row: AuthorKeyRow) -> AuthorKey:
    return AuthorKey(id=key_id(row.public_key), public_key=row.public_key, added_at=row.added_at)
