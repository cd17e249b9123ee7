"""Tables of trusted publishers, and of the identity tokens that were used."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class TrustedPublisherRow(Base):
    """Who may publish a package (``schemas.trusted_publishers``).

    The package need not exist yet, so ``package_id`` refers to no row.
    """

    __tablename__ = "trusted_publishers"

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(index=True)
    provider: Mapped[str]
    issuer: Mapped[str]
    repository: Mapped[str]
    workflow: Mapped[str]
    environment: Mapped[str] = mapped_column(default="")
    owner_id: Mapped[str] = mapped_column(default="")
    """The provider's own ids of repository and owner, from the first token on: names may be given to somebody else."""
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]


class UsedIdentityRow(Base):
    """An identity token that was exchanged, by the SHA-256 of issuer and ``jti``; kept until it has expired."""

    __tablename__ = "used_identities"

    key: Mapped[str] = mapped_column(primary_key=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)
