"""Tables of signing keys and of the journal that a mirror copies.

Entries and their tree are numbered at each commit, so they are rows of ``database``.
"""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base


class SigningKeyRow(Base):
    """A public key with which this hub has signed; kept for ever, so that what it signed can be checked."""

    __tablename__ = "signing_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    public_key: Mapped[str]
    first_used_at: Mapped[datetime]
    introduction: Mapped[str] = mapped_column(default="")
    """A note that this key and the one before it have signed, which says that the hub goes on with this one."""


class FollowedJournalRow(Base):
    """The hub whose journal this one copies: one row on a mirror, none on a hub of its own."""

    __tablename__ = "followed_journal"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    url: Mapped[str]
    name: Mapped[str] = mapped_column(default="")
    """The journal's name (``verihub/…``), from the first page on; empty before."""
    checkpoint: Mapped[str] = mapped_column(default="")
    """The signed note up to which the copy is whole, as the other hub wrote it; empty before the first."""
    size: Mapped[int] = mapped_column(BigInteger, default=0)
    """How many entries it covers. Rows beyond it are copied already, and not shown yet."""
    key_id: Mapped[str] = mapped_column(default="")
    """The key that signed it."""
    event: Mapped[int | None] = mapped_column(BigInteger)
    """The position of the last event of the other hub that was read; None before the first."""
    asked_at: Mapped[datetime | None]
    """When the other hub was last asked for news, and all that it said was good."""
    problem: Mapped[str] = mapped_column(default="")
    """Why it could not be asked, or was not believed; empty: it was."""
    is_stopped: Mapped[bool] = mapped_column(default=False)
    """Whether the mirror has stopped because the other hub was not believed."""
