"""Every SQL statement about trusted publishers."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from hub_server.trusted_publishing.models import TrustedPublisherRow, UsedIdentityRow


def publishers_of(session: Session, package_id: str) -> list[TrustedPublisherRow]:
    """The publishers of a package, oldest first."""
    statement = select(TrustedPublisherRow).where(TrustedPublisherRow.package_id == package_id)
    return list(session.scalars(statement.order_by(TrustedPublisherRow.id)))


def find_publisher(session: Session, package_id: str, publisher_id: str) -> TrustedPublisherRow | None:
    """One publisher of a package, or None."""
    row = session.get(TrustedPublisherRow, publisher_id)
    return row if row is not None and row.package_id == package_id else None


def forget_publishers(session: Session, package_id: str) -> None:
    """Delete every publisher of a package."""
    session.execute(delete(TrustedPublisherRow).where(TrustedPublisherRow.package_id == package_id))


def use_identity(session: Session, key: str, expires_at: datetime) -> bool:
    """Note that an identity token is used; False where it was used before. Of two at once, one gets True."""
    try:
        with session.begin_nested():
            session.add(UsedIdentityRow(key=key, expires_at=expires_at))
    except IntegrityError:
        return False
    return True


def forget_used(session: Session, now: datetime) -> None:
    """Delete what has expired: such a token is refused anyway."""
    session.execute(delete(UsedIdentityRow).where(UsedIdentityRow.expires_at < now))
