"""The table of offers: packages that were offered to somebody else."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base, OrderedText


class TransferRow(Base):
    """An offer. ``state``: see ``schemas.ownership.TransferState``; one that was taken back has no row."""

    __tablename__ = "transfers"

    id: Mapped[str] = mapped_column(primary_key=True)
    package_id: Mapped[str] = mapped_column(OrderedText, ForeignKey("packages.id"), index=True)
    from_owner: Mapped[str] = mapped_column(index=True)
    to_owner: Mapped[str] = mapped_column(index=True)
    offered_by: Mapped[str]
    offered_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(default="open")
    answered_by: Mapped[str] = mapped_column(default="")
    answered_at: Mapped[datetime | None]
