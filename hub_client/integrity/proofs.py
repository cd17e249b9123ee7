"""Stores proofs on disk, so that a release can be proven again without its hub."""

import hashlib
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from hub_client.errors import IntegrityError
from hub_client.files import write_atomically
from schemas.journal.entries import ReleaseProof
from schemas.package import Release


class KeptProofs:
    """A folder of the cache: ``proofs/<hub>/<owner>/<name>/<version>.json``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "proofs"

    def path(self, url: str, release: Release) -> Path:
        """Where the proof of a release is kept."""
        return self._hub_folder(url) / release.package / f"{release.version}.json"

    def _hub_folder(self, url: str) -> Path:
        return self._folder / hashlib.sha256(url.encode()).hexdigest()[:16]

    def find(self, url: str, release: Release, *, strict: bool) -> ReleaseProof | None:
        """The proof, or None. A damaged one counts as none; with ``strict`` it raises :class:`IntegrityError`."""
        path = self.path(url, release)
        try:
            text = path.read_bytes()
            proof = ReleaseProof.model_validate_json(text)
            if proof.model_dump_json().encode() == text:
                return proof
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            pass
        if strict:
            raise IntegrityError(f"{path}, the proof of {release.package} {release.version}, is damaged: delete it")
        return None

    def checkpoints_of(self, url: str, package: str) -> list[str]:
        """The signed roots in the stored proofs of this package's releases. Damaged proofs are left out."""
        found = []
        for path in sorted((self._hub_folder(url) / package).glob("*.json")):
            with suppress(OSError, ValidationError):
                found.append(ReleaseProof.model_validate_json(path.read_bytes()).checkpoint)
        return found

    def keep(self, url: str, release: Release, proof: ReleaseProof) -> None:
        """Keep a proof that was checked."""
        path = self.path(url, release)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, proof.model_dump_json().encode())
