"""Statements about accounts themselves: their names, what is blocked, who is suspended."""

from collections.abc import Collection

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from hub_server.accounts.models import DELETED, PERSON, AccountRow, BlockedNameRow


def find_account(session: Session, name: str) -> AccountRow | None:
    """The account of that name, or None, also for one that was deleted."""
    return session.scalar(select(AccountRow).where(AccountRow.name == name, AccountRow.kind != DELETED))


def find_account_ever(session: Session, name: str) -> AccountRow | None:
    """The account of that name, also one that was deleted, or None."""
    return session.scalar(select(AccountRow).where(AccountRow.name == name))


def is_deleted(session: Session, account_id: str) -> bool:
    """Whether an account was deleted, asked of the database and not of a row that was read before."""
    return session.scalar(select(AccountRow.kind).where(AccountRow.id == account_id)) == DELETED


def names_of(session: Session, account_ids: Collection[str]) -> dict[str, str]:
    """The name of each account, by its id."""
    found = session.execute(select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(account_ids)))
    return {row.id: row.name for row in found}


def people_of_email(session: Session, email: str, at_most: int) -> list[AccountRow]:
    """People with that address, whatever its case, oldest first."""
    statement = select(AccountRow).where(AccountRow.kind == PERSON, func.lower(AccountRow.email) == email.lower())
    return list(session.scalars(statement.order_by(AccountRow.created_at).limit(at_most)))


def is_name_taken(session: Session, name: str, folded: str) -> bool:
    """Whether somebody has ``name`` or one that folds to the same."""
    taken = select(AccountRow.id).where(or_(AccountRow.name == name, AccountRow.name_folded == folded))
    return session.scalar(taken) is not None


def lock_account(session: Session, account_id: str) -> None:
    """Let no other transaction that asks for this lock go on until this one ends: of two changes one comes second."""
    session.execute(select(AccountRow.id).where(AccountRow.id == account_id).with_for_update())


def suspended_accounts(session: Session) -> list[AccountRow]:
    """Accounts and organisations that are suspended, by name."""
    statement = select(AccountRow).where(AccountRow.suspended_reason.is_not(None))
    return list(session.scalars(statement.order_by(AccountRow.name)))


def hidden_names() -> Select[str]:
    """A subquery: names of accounts whose content is hidden."""
    # Every text but NULL is one of these. SQLite reads all accounts for IS NOT NULL, in each list that asks for this.
    return select(AccountRow.name).where(AccountRow.hidden_reason >= "")


def hidden_among(session: Session, names: Collection[str]) -> set[str]:
    """Those of the accounts whose content is hidden."""
    return set(session.scalars(hidden_names().where(AccountRow.name.in_(sorted(set(names))))))


def is_hidden(session: Session, name: str) -> bool:
    """Whether what this account wrote, submitted or ran is hidden."""
    return bool(hidden_among(session, [name]))


def find_block(session: Session, names: Collection[str]) -> BlockedNameRow | None:
    """What blocks one of ``names`` (folded), or None."""
    return session.scalar(select(BlockedNameRow).where(BlockedNameRow.name_folded.in_(sorted(names))).limit(1))


def blocked_names(session: Session) -> list[BlockedNameRow]:
    """Every blocked name, in order."""
    return list(session.scalars(select(BlockedNameRow).order_by(BlockedNameRow.name)))
