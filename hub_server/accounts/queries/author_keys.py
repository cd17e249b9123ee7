"""SQL statements about keys that accounts sign their releases with."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from hub_server.accounts.models import AuthorKeyRow


def author_keys_of(session: Session, account_id: str) -> list[AuthorKeyRow]:
    """An account's keys, oldest first."""
    statement = select(AuthorKeyRow).where(AuthorKeyRow.account_id == account_id)
    return list(session.scalars(statement.order_by(AuthorKeyRow.added_at, AuthorKeyRow.public_key)))


def find_author_key(session: Session, public_key: str) -> AuthorKeyRow | None:
    """The key, whoever has it, or None."""
    return session.get(AuthorKeyRow, public_key)
