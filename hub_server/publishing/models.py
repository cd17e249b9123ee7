"""Tables of publishing: what accounts have uploaded. Releases are the catalogue's."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class UploadDayRow(Base):
    """Uploads of an account on one day (UTC, ``2026-11-21``), whatever became of them."""

    __tablename__ = "upload_days"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    day: Mapped[str] = mapped_column(primary_key=True)
    attempts: Mapped[int]
    size_bytes: Mapped[int] = mapped_column(BigInteger)


class UploadPartRow(Base):
    """A part of a wheel that comes in parts. Its bytes are in the blob store, by the digest ``part``."""

    __tablename__ = "upload_parts"
    __table_args__ = (Index("ix_upload_parts_part", "part"),)

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(primary_key=True)
    """Of the whole wheel."""
    number: Mapped[int] = mapped_column(primary_key=True)
    part: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    arrived_at: Mapped[datetime]
    """Long ago when nobody waits for it any more."""
