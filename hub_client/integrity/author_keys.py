"""The key with which this user signs releases. One file for each hub, beside the settings, readable only by its
owner.
"""

import os
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from hub_client.errors import IntegrityError, UsageError
from hub_client.integrity.known_hubs import hub_file_name

_OTHERS = 0o077  # the bits of a file's mode for its group and for everybody


class AuthorKeyFile:
    """The key for the hub at ``url``, made by :meth:`make`."""

    def __init__(self, folder: Path, url: str) -> None:
        self.path = folder / "author_keys" / f"{hub_file_name(url)}.pem"

    def find(self) -> Ed25519PrivateKey | None:
        """The key, or None. Raises :class:`UsageError` if others can read it, because they may have signed with it."""
        try:
            mode, pem = self.path.stat().st_mode, self.path.read_bytes()
        except FileNotFoundError:
            return None
        if os.name == "posix" and mode & _OTHERS:
            raise UsageError(f"others may read {self.path}, the key that you sign releases with: chmod 600 it")
        try:
            key = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise IntegrityError(
                f"{self.path} holds no Ed25519 key in PEM: restore it, or delete it and make a new one"
            )
        return key

    def make(self) -> Ed25519PrivateKey:
        """The existing key, or a new one."""
        if (found := self.find()) is not None:
            return found
        key = Ed25519PrivateKey.generate()
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return key

    def forget(self) -> None:
        """Delete the key from this machine; harmless where there is none."""
        self.path.unlink(missing_ok=True)
