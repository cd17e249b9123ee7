"""Wheels on their way to a node: sent once, identified by digest, checked on arrival."""

import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import BoxLostError, SandboxUnavailableError
from sandbox.interface import LockedWheel, Source
from schemas.manifest import Manifest
from schemas.wheels.box_python import DEFAULT_PYTHON

_DIGEST = re.compile(r"[0-9a-f]{64}")
_KEPT_SECONDS = 30 * 86_400.0  # chosen, not measured


@dataclass(frozen=True)
class ReleaseHeader:
    """A release without its bytes: file names, and (name, version, SHA-256, file name) of each locked wheel."""

    digest: str
    wheel: str
    manifest: Manifest
    locked: tuple[tuple[str, str, str, str], ...] = ()
    python: str = DEFAULT_PYTHON
    hash_seed: int = 0
    is_elsewhere: bool = False

    @classmethod
    def of(cls, source: Source) -> "ReleaseHeader":
        locked = tuple((wheel.name, wheel.version, wheel.sha256, wheel.path.name) for wheel in source.lock)
        name = source.wheel.name
        return cls(source.digest, name, source.manifest, locked, source.python, source.hash_seed, source.is_elsewhere)


def files_of(source: Source) -> dict[str, Path]:
    """Hexadecimal SHA-256 -> where the driver has that wheel: the release's own and its locked ones."""
    return {_hexadecimal(source.digest): source.wheel, **{wheel.sha256: wheel.path for wheel in source.lock}}


class WheelFolder:
    """A folder of wheels by digest, shared by all who run on this machine; what nobody uses for 30 days goes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._has_tidied = False

    def missing(self, digests: Sequence[str]) -> list[str]:
        """Blocking: those that are not here whole."""
        return [digest for digest in digests if not _DIGEST.fullmatch(digest) or not self._has(digest)]

    def keep(self, header: ReleaseHeader, blobs: Sequence[bytes]) -> Source:
        """Blocking: store what arrived; the release as it lies here. Raises BoxLostError for other bytes than named."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._tidy()
        wanted = {_hexadecimal(header.digest): header.wheel, **{row[2]: row[3] for row in header.locked}}
        if not all(map(_DIGEST.fullmatch, wanted)):  # they name folders here
            raise BoxLostError(f"{header.manifest.id} was sent under something that is no SHA-256")
        for blob in blobs:
            digest = hashlib.sha256(blob).hexdigest()
            if digest not in wanted:
                raise BoxLostError(f"a wheel of {header.manifest.id} arrived with other bytes than it was sent with")
            self._store(self._place(digest, wanted[digest]), blob)
        for digest, name in wanted.items():
            if not self._is_there(digest, name):
                raise BoxLostError(f"{name} of {header.manifest.id} has not arrived")
        lock = tuple(
            LockedWheel(name, version, sha256, self._place(sha256, file))
            for name, version, sha256, file in header.locked
        )
        place = self._place(_hexadecimal(header.digest), header.wheel)
        return Source(header.digest, place, header.manifest, lock, header.python, header.hash_seed, header.is_elsewhere)

    def _place(self, digest: str, name: str) -> Path:
        """A wheel keeps its file's name, which says what it fits, in a folder of its digest."""
        return self._folder / digest / Path(name).name

    def _is_there(self, digest: str, name: str) -> bool:
        """Whether the wheel is there under that name; the same bytes may have come under another."""
        place = self._place(digest, name)
        for other in [] if place.exists() else place.parent.glob("*.whl"):
            with contextlib.suppress(FileExistsError):
                place.hardlink_to(other)
        return place.exists()

    def _has(self, digest: str) -> bool:
        """Whether the wheel is there, under any name, and still has its digest; its time of use is now."""
        found = list((self._folder / digest).glob("*.whl"))
        for path in found:
            if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                path.unlink(missing_ok=True)
            else:
                os.utime(path)
        return any(path.exists() for path in found)

    def _store(self, place: Path, blob: bytes) -> None:
        try:
            place.parent.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix="part-", delete=False) as part:
                part.write(blob)
            Path(part.name).rename(place)
        except OSError as error:
            raise SandboxUnavailableError(f"a node cannot keep a wheel in {self._folder}: {error}") from error

    def _tidy(self) -> None:
        """Once a process: remove what has not been used for long."""
        if self._has_tidied:
            return
        self._has_tidied = True
        oldest = time.time() - _KEPT_SECONDS
        for path in [*self._folder.glob("*/*.whl"), *self._folder.glob("part-*")]:
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)


def _hexadecimal(digest: str) -> str:
    return digest.removeprefix("sha256:")
