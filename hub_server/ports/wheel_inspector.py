"""Inspects a stranger's wheel without trusting it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from schemas.manifest import Manifest
from schemas.package import ProjectLink, ReleaseFile


@dataclass(frozen=True)
class Inspection:
    """What the bytes themselves say; nothing of it comes from the request."""

    digest: str
    size_bytes: int
    manifest: Manifest
    version: str
    summary: str
    licence: str
    requires_python: str
    dependencies: list[str]
    readme: str
    files: list[ReleaseFile]
    task_counts: dict[str, int | None]
    case_count: int
    authors: list[str] = field(default_factory=list)
    links: list[ProjectLink] = field(default_factory=list)
    notes: str = ""
    lock_digest: str = ""
    warnings: list[str] = field(default_factory=list)

    def needed_packages(self) -> set[str]:
        """Ids of packages that the manifest names or the wheel depends on; some of them may not exist."""
        found = {reference.package for _, reference in self.manifest.references}
        for text in self.dependencies:
            owner, _, name = canonicalize_name(Requirement(text).name).partition("-")
            found |= {f"{owner}/{name}"} if name else set()
        return found - {self.manifest.id}


class WheelInspector(Protocol):
    """Reads an uploaded file under limits of memory, time and size."""

    def inspect(self, path: Path, digest: str) -> Inspection:
        """Inspect the file, whose bytes must have ``digest``. Raises ``InvalidPackageError``, one part a problem."""
        ...
