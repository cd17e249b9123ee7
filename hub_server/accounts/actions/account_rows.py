"""The row behind a name: of a person, or of a person or an organisation; and whether the caller's is still there."""

from hub_server.accounts.errors import AccountNotFoundError
from hub_server.accounts.models import PERSON, AccountRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.errors import NotAuthenticatedError
from hub_server.kernel.unit_of_work import UnitOfWork


def get_person(work: UnitOfWork, name: str) -> AccountRow:
    """The row of a person. Raises ``AccountNotFoundError``, for an organisation too."""
    row = find_any_account(work, name)
    if row is None or row.kind != PERSON:
        raise AccountNotFoundError(f"There is no account {name!r} on this hub.")
    return row


def get_any_account(work: UnitOfWork, name: str) -> AccountRow:
    """The row of a person or an organisation. Raises ``AccountNotFoundError``."""
    row = find_any_account(work, name)
    if row is None:
        raise AccountNotFoundError(f"There is neither an account nor an organisation {name!r} on this hub.")
    return row


def find_any_account(work: UnitOfWork, name: str) -> AccountRow | None:
    """The row of a person or an organisation, or None."""
    return account_queries.find_account(work.session, name)


def refuse_deleted(work: UnitOfWork) -> None:
    """Raise ``NotAuthenticatedError`` where the caller's account was deleted after this transaction had found it."""
    if work.caller is not None and account_queries.is_deleted(work.session, work.caller.account_id):
        raise NotAuthenticatedError("This account was deleted a moment ago.")
