"""Accounts: made, looked up, shown; which names can be given, and who is a moderator."""

from collections.abc import Collection

from sqlalchemy.exc import IntegrityError

from hub_server.accounts.actions.account_rows import get_person
from hub_server.accounts.actions.authentication import is_moderator
from hub_server.accounts.actions.mailed_links import queue_confirmation
from hub_server.accounts.actions.password_tries import forget_tries
from hub_server.accounts.actions.suspensions import check_not_blocked
from hub_server.accounts.actions.tokens import issue_token
from hub_server.accounts.errors import NameTakenError, SignUpClosedError
from hub_server.accounts.models import PERSON, AccountRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.rules.names import RESERVED_NAMES, fold_name
from hub_server.database import activity
from hub_server.database.base import new_id
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.account import (
    Account,
    AccountCreate,
    AccountCreated,
    TokenCreate,
)


def sign_up(work: UnitOfWork, request: AccountCreate, password_hash: str) -> AccountCreated:
    """Make an account and its first token. Raises what :func:`add_account` does."""
    row = add_account(work, request, password_hash)
    created = issue_token(work, row.id, TokenCreate(name="sign-up"))
    return AccountCreated(account=account_of(work, row), token=created.secret)


def add_account(
    work: UnitOfWork, request: AccountCreate, password_hash: str, *, by_operator: bool = False
) -> AccountRow:
    """Make an account. ``password_hash``: of ``request.password``, by :func:`hash_password`.

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
    forget_tries(work, row.name)  # guesses at the name while nobody had it
    activity.note(work.session, now, row.id, "Sign up")
    return row


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


def set_moderator(work: UnitOfWork, name: str, *, is_moderator: bool) -> None:
    """Make a person a moderator, or no longer one. Raises ``AccountNotFoundError``."""
    row = get_person(work, name)
    row.is_moderator = is_moderator
    work.session.flush()


def get_account(work: UnitOfWork, name: str) -> Account:
    """An account as everybody may see it. Raises ``AccountNotFoundError``."""
    return account_of(work, get_person(work, name))


def names_of(work: UnitOfWork, account_ids: Collection[str]) -> dict[str, str]:
    """The names of accounts that exist, by their ids."""
    return account_queries.names_of(work.session, account_ids)


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
