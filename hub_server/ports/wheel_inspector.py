"""Inspects a stranger's wheel without trusting it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from schemas.manifest import Manifest
from schemas.package import ReleaseFile


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
    lock_digest: str = ""
    warnings: list[str] = field(default_factory=list)


class WheelInspector(Protocol):
    """Reads an uploaded file under limits of memory, time and size."""

    def inspect(self, path: Path, digest: str) -> Inspection:
        """Inspect the file, whose bytes must have ``digest``. Raises ``InvalidPackageError``, one part a problem."""
        ...
