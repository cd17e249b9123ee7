"""What this machine remembers of a hub: its keys, and the newest root of its journal.

One small text file for each hub, below the user's settings. A change of any byte is noticed, because keys contain a
hash, and the last key has signed the root.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

from hub_client.errors import HubClientError, IntegrityError
from hub_client.files import write_atomically
from schemas.journal import hub_keys
from schemas.journal.entries import Envelope, JournalCheckpoint, Statement
from schemas.journal.hub_keys import HubKey, JournalError
from schemas.journal.signed_note import SignedNote

_LOCK_SECONDS = 60  # chosen: others only write a small file


@dataclass(frozen=True)
class KnownHub:
    """``keys``: oldest first; the last one signs now. ``note``: the newest checkpoint, as the hub wrote it."""

    keys: tuple[HubKey, ...]
    note: str

    @property
    def checkpoint(self) -> JournalCheckpoint:
        """The newest checkpoint."""
        return read_checkpoint(self.note)[1]

    @property
    def origin(self) -> str:
        """The name of the hub's journal."""
        return self.keys[-1].origin

    def open_envelope(self, envelope: Envelope) -> Statement:
        """The entry in an envelope that one of the hub's keys has signed. Raises :class:`IntegrityError`."""
        try:
            return hub_keys.open_envelope(envelope, self.keys)
        except JournalError as error:
            raise IntegrityError(str(error)) from None

    def __str__(self) -> str:
        return "".join(f"{key}\n" for key in self.keys) + "\n" + self.note

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what :func:`str` wrote. Raises :class:`IntegrityError` for any other text."""
        head, separator, note = text.partition("\n\n")
        try:
            known = cls(tuple(HubKey.parse(line) for line in head.split("\n")), note)
        except JournalError as error:
            raise IntegrityError(str(error)) from None
        signed, checkpoint = read_checkpoint(note)
        origins = {key.origin for key in known.keys} | {checkpoint.origin}
        if not separator or len(origins) != 1 or len(signed.signatures) != 1 or not known.keys[-1].has_signed(signed):
            raise IntegrityError("the keys and the root of a journal do not belong together")
        return known


def read_checkpoint(note: str) -> tuple[SignedNote, JournalCheckpoint]:
    """A checkpoint with its signatures, which are not checked here. Raises :class:`IntegrityError`."""
    try:
        return hub_keys.read_checkpoint(note)
    except JournalError as error:
        raise IntegrityError(str(error)) from None


def hub_file_name(url: str) -> str:
    """The name of a file about the hub at ``url``, without suffix: readable, and different for each hub."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", url.partition("://")[2]).strip("-.")[:60]
    return f"{words}-{hashlib.sha256(url.encode()).hexdigest()[:12]}"


class KnownHubs:
    """The folder with a file for each hub."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "known_hubs"

    def path(self, url: str) -> Path:
        """The file about the hub at ``url``."""
        return self._folder / f"{hub_file_name(url)}.txt"

    def find(self, url: str) -> KnownHub | None:
        """What is known of a hub, or None. Raises :class:`IntegrityError` if the file was changed."""
        path = self.path(url)
        try:
            return KnownHub.parse(path.read_bytes().decode())
        except FileNotFoundError:
            return None
        except (IntegrityError, ValueError, OSError) as error:
            raise IntegrityError(
                f"{path}, which remembers the keys and the journal of {url}, is damaged ({error}). Nothing of this hub "
                "is used. If you trust the hub as it is now, delete the file"
            ) from None

    def remember(self, url: str, known: KnownHub) -> None:
        """Replace what is known of a hub."""
        path = self.path(url)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, str(known).encode())

    @contextmanager
    def locked(self, url: str) -> Iterator[None]:
        """One process at a time."""
        path = self.path(url).with_suffix(".lock")
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with FileLock(path, timeout=_LOCK_SECONDS):
                yield
        except Timeout:
            raise HubClientError(f"another process has held {path} for a minute: end it, or delete the file") from None
