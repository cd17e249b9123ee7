"""What making images needs of a container engine: load, find, run once, remove."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class ImageRecord:
    """One image as the engine knows it. ``layers`` are diff ids (``sha256:…`` of uncompressed tars), lowest first."""

    image_id: str
    references: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    layers: tuple[str, ...] = ()
    size_bytes: int = 0
    used_at: datetime | None = None
    """When it was last tagged, which is what asking for it does."""


class ImageEngine(Protocol):
    """Blocking. Failures are :class:`~sandbox.images.errors.ImageEngineError` or ``SandboxUnavailableError``."""

    def architecture(self) -> str:
        """As Go spells it: ``amd64``, ``arm64``."""

    def find(self, reference: str) -> ImageRecord | None:
        """The image behind a tag or an id, or None."""

    def labelled(self, labels: Mapping[str, str]) -> list[ImageRecord]:
        """Images that carry all of ``labels``."""

    def load(self, archive: Path) -> None:
        """Load a docker-archive tar; layers that the engine already holds may be missing from it."""

    def tag(self, image_id: str, reference: str) -> None:
        """Name an image (again): that also refreshes ``used_at``."""

    def pull(self, reference: str, timeout_seconds: float) -> None:
        """Fetch from a registry; gives up when it stays silent for ``timeout_seconds``."""

    def export(self, reference: str) -> Iterator[bytes]:
        """The flattened file system of an image, as a tar stream."""

    def save(self, reference: str) -> Iterator[bytes]:
        """An image as a tar stream of its parts, among them the tar of each layer, byte for byte."""

    def run_once(self, reference: str, command: list[str], work: bytes, timeout_seconds: float) -> bytes:
        """Run ``command`` in a locked-down container with the tar ``work`` unpacked in /work; its standard output.

        No network, no capabilities, a uid that is not root. Raises ``ImageEngineError`` when it fails or is late.
        """

    def remove(self, reference: str) -> bool:
        """Remove a tag, and with the last tag the image. False when a container still uses it."""
