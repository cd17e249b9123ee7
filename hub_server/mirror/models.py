"""The table of packages that a mirror keeps up to date. How far its journal is stands in ``journal.models``."""

from datetime import datetime

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from hub_server.database.base import Base, OrderedText


class MirroredPackageRow(Base):
    """A package that the journal names, and when it is to be looked at again."""

    __tablename__ = "mirrored_packages"

    package_id: Mapped[str] = mapped_column(OrderedText, primary_key=True)
    """No foreign key: it stands here before its first release has come."""
    wanted: Mapped[int] = mapped_column(BigInteger)
    """Grows with every news of it, so that news which come while it is looked at are not lost."""
    seen: Mapped[int] = mapped_column(BigInteger, default=0)
    """``wanted`` as it was when the package was last brought up to date."""
    look_at: Mapped[datetime] = mapped_column(index=True)
    tries: Mapped[int] = mapped_column(default=0)
    """How often in a row it could not be brought up to date."""
    problem: Mapped[str] = mapped_column(default="")
    """Why something of it is missing here; empty: nothing is."""
