"""Tables of collections and their entries."""

from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base, OrderedText


class CollectionRow(Base):
    """A curated list of packages (``schemas.collections``).

    Its key is no ``owner/name``: a token for one package sees, of what is private, the row with that package's id.
    """

    __tablename__ = "collections"
    __table_args__ = (UniqueConstraint("owner", "name"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str]
    name: Mapped[str]
    title: Mapped[str]
    text: Mapped[str] = mapped_column(default="")
    is_private: Mapped[bool] = mapped_column(default=False)
    """Whether only its owner sees it (``database.visibility``)."""
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    updated_by: Mapped[str]
    hidden_reason: Mapped[str | None]
    """Why moderators do not show it; None: they do."""


class CollectionEntryRow(Base):
    """One package of a collection. ``version`` empty: the latest."""

    __tablename__ = "collection_entries"

    collection_id: Mapped[str] = mapped_column(ForeignKey("collections.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(OrderedText, ForeignKey("packages.id"), index=True)
    version: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")
