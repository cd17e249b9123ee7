"""verihub.lock: pins everything that a reward depends on, so that rewards can be compared across runs."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.names import Digest, PackageId, VersionText

LOCK_NAME = "verihub.lock"


class LockedPackage(WireModel):
    """One release as it was when it was locked. ``image`` and ``audit`` are empty when they were not known."""

    id: PackageId
    version: VersionText
    archive: Digest
    """Digest of the wheel."""
    size_bytes: int
    published_at: datetime | None = None
    requires: list[str] = Field(default_factory=list)
    """What it needs from this lock, as ``owner/name@version``: verifier, tools, a benchmark's environments."""
    dependencies: str = ""
    """Digest of its ``requirements.lock``; empty without dependencies."""
    image: str = ""
    """Digest of the image that the sandbox built for it."""
    audit: str = ""
    """Digest of the newest audit report at that time, without times and latencies."""
    proven: bool = False
    """Whether the hub's journal named it when it was locked: then no machine believes that the package is private."""


class Lock(WireModel):
    """The whole file: the references that were asked for, and the packages that they resolved to."""

    lock_version: Literal[1, 2] = 2
    """Version 1 had neither ``digest`` nor what the hub signed."""
    digest: Digest | None = None
    """Of the whole file without this line, so that no byte of it changes unnoticed."""
    origin: str
    """Address of the hub. A lock never mixes two hubs."""
    keys: list[str] = Field(default_factory=list)
    """The keys with which the hub signs its journal, oldest first; empty where it keeps none."""
    checkpoint: str = ""
    """The root of the journal, as the hub signed it when the lock was made."""
    references: list[str]
    package: list[LockedPackage]

    def find(self, package_id: str) -> LockedPackage | None:
        """The pinned release of a package, or None."""
        return next((item for item in self.package if item.id == package_id), None)
