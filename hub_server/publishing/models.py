"""Tables of publishing: what accounts have uploaded. Releases are the catalogue's."""

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class UploadDayRow(Base):
    """Uploads of an account on one day (UTC, ``2026-11-21``), whatever became of them."""

    __tablename__ = "upload_days"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    day: Mapped[str] = mapped_column(primary_key=True)
    attempts: Mapped[int]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
