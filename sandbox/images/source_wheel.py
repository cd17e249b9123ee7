"""A wheel that was built from source, and what builds it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schemas.names import digest_of


@dataclass(frozen=True)
class BuiltWheel:
    """A wheel that was built from source. Digests are ``sha256:…``; the same source gives the same bytes."""

    file_name: str
    data: bytes
    source_digest: str

    @property
    def digest(self) -> str:
        return digest_of(self.data)


BuildSource = Callable[[str, str, Sequence[str]], BuiltWheel]
"""(requirement, Python, locked digests or none) -> wheel."""
