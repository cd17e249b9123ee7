"""The table of signing keys. Entries and their tree are numbered at each commit, so they are rows of ``database``."""

from datetime import datetime

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
