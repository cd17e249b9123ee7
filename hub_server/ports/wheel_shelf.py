"""Wheels on local disk by digest, and what they hold."""

from pathlib import Path
from typing import Protocol

from schemas.wheel import WheelContents


class WheelShelf(Protocol):
    """A bounded local cache over the blob store."""

    def path(self, digest: str) -> Path:
        """A local file with exactly these bytes (verified when it was fetched)."""
        ...

    def contents(self, digest: str) -> WheelContents:
        """The parsed wheel; the latest few are kept in memory."""
        ...
