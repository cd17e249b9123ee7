"""Suspended accounts and blocked names. Who may do this is decided by ``moderation``, which also writes the log."""

from hub_server.accounts.errors import AccountNotFoundError, AccountSuspendedError, NameBlockedError
from hub_server.accounts.models import AccountRow, BlockedNameRow
from hub_server.accounts.queries import accounts as account_queries
from hub_server.accounts.queries import credentials as credential_queries
from hub_server.accounts.rules.names import fold_name
from hub_server.errors import InvalidRequestError
from hub_server.kernel.unit_of_work import UnitOfWork
from schemas.moderation import NameBlock


def refuse_suspended(row: AccountRow) -> None:
    """Raise ``AccountSuspendedError`` for a suspended account. Call it only after its credential was proven.

    It names the page where the operator says whom to write to, because nobody who is suspended can ask on the hub.
    """
    if row.suspended_reason is not None:
        raise AccountSuspendedError(
            f"The account {row.name} is suspended: {row.suspended_reason} "
            "If you object, see the page /moderation of this hub."
        )


def suspend_account(work: UnitOfWork, name: str, reason: str, *, hide_content: bool) -> None:
    """Suspend an account or organisation, and log its browsers out. Its tokens are refused as long as it lasts.

    Also one that was deleted: nobody gets out of having hidden what they published by leaving.

    Raises ``AccountNotFoundError``.
    """
    row = _row_ever(work, name)
    row.suspended_reason = reason
    row.hidden_reason = reason if hide_content else None
    credential_queries.remove_web_sessions_of(work.session, row.id)


def unsuspend_account(work: UnitOfWork, name: str) -> None:
    """End a suspension, and show again what it hid. Raises ``AccountNotFoundError``, ``InvalidRequestError``."""
    row = _row_ever(work, name)
    if row.suspended_reason is None:
        raise InvalidRequestError(f"{name} is not suspended.")
    row.suspended_reason = row.hidden_reason = None


def _row_ever(work: UnitOfWork, name: str) -> AccountRow:
    row = account_queries.find_account_ever(work.session, name)
    if row is None:
        raise AccountNotFoundError(f"There is neither an account nor an organisation {name!r} on this hub.")
    return row


def list_suspended(work: UnitOfWork) -> list[tuple[str, str]]:
    """(name, why) of every suspended account."""
    return [(row.name, row.suspended_reason or "") for row in account_queries.suspended_accounts(work.session)]


def block_name(work: UnitOfWork, block: NameBlock, by: str) -> None:
    """Block a name and its look-alikes. Who has it keeps it, and can publish nothing more under it."""
    row = work.session.get(BlockedNameRow, block.name) or BlockedNameRow(name=block.name, created_at=work.now)
    row.name_folded, row.reason, row.blocked_by = fold_name(block.name), block.reason, by
    work.session.add(row)
    work.session.flush()


def unblock_name(work: UnitOfWork, name: str) -> None:
    """Undo ``block_name``. Raises ``InvalidRequestError``."""
    row = work.session.get(BlockedNameRow, name)
    if row is None:
        raise InvalidRequestError(f"The name {name!r} is not blocked.")
    work.session.delete(row)
    work.session.flush()


def blocked_by(work: UnitOfWork, name: str) -> str | None:
    """Who blocked a name; None where it is not blocked."""
    row = work.session.get(BlockedNameRow, name)
    return row.blocked_by if row is not None else None


def list_blocked(work: UnitOfWork) -> list[NameBlock]:
    """Every blocked name with its reason."""
    return [NameBlock(name=row.name, reason=row.reason) for row in account_queries.blocked_names(work.session)]


def check_not_blocked(work: UnitOfWork, *names: str) -> None:
    """Raise ``NameBlockedError`` where one of ``names`` is blocked, or looks like one that is."""
    row = account_queries.find_block(work.session, [fold_name(name) for name in names])
    if row is not None:
        raise NameBlockedError(f"The name {row.name} is blocked on this hub ({row.reason}): choose another.")
