"""verihub.lock: everything that a reward depends on, pinned, so that it can be compared across runs."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from schemas.base import WireModel
from schemas.names import Digest, PackageId, VersionText

LOCK_NAME = "verihub.lock"


class LockedPackage(WireModel):
    """One release as it was when it was locked. ``image`` and ``audit`` are empty where they were not known."""

    id: PackageId
    version: VersionText
    archive: Digest
    """The wheel."""
    size_bytes: int
    published_at: datetime | None = None
    requires: list[str] = Field(default_factory=list)
    """What it needs of this lock, as ``owner/name@version``: verifier, tools, a benchmark's environments."""
    dependencies: str = ""
    """Digest of its ``requirements.lock``; empty without dependencies."""
    image: str = ""
    """What the sandbox built of it."""
    audit: str = ""
    """Digest of the audit report that was in force, times and latencies aside."""


class Lock(WireModel):
    """The whole file. References are what was asked for, packages what it meant."""

    lock_version: Literal[1] = 1
    origin: str
    """The hub. A lock never mixes two."""
    references: list[str]
    package: list[LockedPackage]

    def find(self, package_id: str) -> LockedPackage | None:
        """The pinned release of a package, or None."""
        return next((item for item in self.package if item.id == package_id), None)
