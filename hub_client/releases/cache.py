"""The cache on disk: wheels by digest, verified on every read, and the hub's index answers, for work offline."""

import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from hub_client.errors import HubClientError, IntegrityError

LAYOUT = "v1"
_LOCK_SECONDS = 120  # chosen, not measured
_NOTED_EVERY_SECONDS = 24 * 3600  # pruning counts days; more would only write
_ABANDONED_SECONDS = 24 * 3600.0
"""Age in seconds after which the scratch folder of a killed command is removed."""


@dataclass(frozen=True)
class CachedWheel:
    """A stored wheel. ``used_at``: when it was last read, in seconds since 1970, to within a day."""

    path: Path
    size_bytes: int
    used_at: float

    @property
    def name(self) -> str:
        """Its file name."""
        return self.path.name

    @property
    def digest(self) -> str:
        """What its bytes hash to, unless they are damaged."""
        return f"sha256:{self.path.parent.name}"


class Cache:
    """A folder shared by all processes of a user.

    ``wheels/sha256/ab/<hex>/<file name>.whl`` are complete as soon as they exist (written elsewhere, then renamed);
    ``said/<hub>/<owner>/<name>.json`` is what a hub last said about a package, below the SHA-256 of that. Deleting any
    of it is harmless.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / LAYOUT

    def find_wheel(self, digest: str, *, strict: bool = False) -> Path | None:
        """The wheel with these bytes, or None. It is hashed on every read; a damaged one is removed.

        ``strict``: a damaged one stays, and raises :class:`IntegrityError`.
        """
        place = self._place(digest)
        found = next(iter(sorted(place.glob("*.whl"))), None) if place.is_dir() else None
        if found is None:
            return None
        if _is_plain(found) and _hash_file(found) == digest:
            _note_use(found)
            return found
        if strict:
            raise IntegrityError(f"{found} is damaged: its bytes are not {digest}. Delete it, and pull it again online")
        _remove(found)
        return None

    def add_wheel(self, digest: str, file_name: str, pieces: Iterable[bytes]) -> Path:
        """Store bytes that must hash to ``digest``. Raises :class:`IntegrityError` otherwise, and keeps nothing."""
        place = self._place(digest)
        with self._fresh_file() as fresh:
            actual = _write_hashed(fresh, pieces)
            if actual != digest:
                raise IntegrityError(
                    f"{file_name} arrived as {actual}, but {digest} was promised: nothing was kept. "
                    "Try again; if it happens again, tell whoever runs the hub"
                )
            place.mkdir(parents=True, exist_ok=True)
            fresh.replace(place / file_name)
        return place / file_name

    def read_index(self, hub_url: str, package_id: str) -> Any | None:
        """What ``hub_url`` last said about a package, or None. Raises :class:`IntegrityError` for a damaged file."""
        path = self.index_path(hub_url, package_id)
        try:
            digest, _, said = path.read_bytes().partition(b"\n")
            if digest == hashlib.sha256(said).hexdigest().encode():
                return json.loads(said)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            pass
        raise IntegrityError(f"{path}, which remembers what {hub_url} said about {package_id}, is damaged: delete it")

    def write_index(self, hub_url: str, package_id: str, data: Any) -> None:
        """Remember what ``hub_url`` said about a package."""
        target = self.index_path(hub_url, package_id)
        with self._fresh_file() as fresh:
            said = json.dumps(data).encode()
            fresh.write_bytes(hashlib.sha256(said).hexdigest().encode() + b"\n" + said)
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh.replace(target)

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """A lock for ``name``: one process at a time, so that two downloads of the same file become one."""
        lock_file = self.folder / "locks" / (hashlib.sha256(name.encode()).hexdigest()[:32] + ".lock")
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(lock_file, timeout=_LOCK_SECONDS):
                yield
        except Timeout:
            raise HubClientError(
                f"another process has held {lock_file} for two minutes: end it, or delete the file"
            ) from None

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A temporary folder on the cache's own disk, so that renaming files out of it is atomic."""
        parent = self.folder / "tmp"
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent, time.time() - _ABANDONED_SECONDS)
        folder = Path(tempfile.mkdtemp(dir=parent))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def damaged(self) -> list[Path]:
        """Every stored wheel whose bytes do not match its digest; for ``verihub doctor``."""
        return [
            path for path in self.wheels() if not _is_plain(path) or _hash_file(path) != f"sha256:{path.parent.name}"
        ]

    def wheels(self) -> list[Path]:
        """Every stored wheel."""
        return sorted((self.folder / "wheels").glob("sha256/*/*/*.whl"))

    def entries(self) -> list[CachedWheel]:
        """Every stored wheel, the one that was used last first."""
        found = []
        for path in self.wheels():
            with suppress(OSError):  # another process was faster
                status = path.lstat()
                found.append(CachedWheel(path, status.st_size, status.st_mtime))
        return sorted(found, key=lambda one: one.used_at, reverse=True)

    def remove(self, wheel: CachedWheel) -> None:
        """Remove a stored wheel with its folder. Harmless when it is gone already."""
        _remove(wheel.path)
        with suppress(OSError):  # something else lies there
            wheel.path.parent.rmdir()

    @contextmanager
    def _fresh_file(self) -> Iterator[Path]:
        with self.scratch() as folder:
            yield folder / "file"

    def _place(self, digest: str) -> Path:
        algorithm, _, hexadecimal = digest.partition(":")
        return self.folder / "wheels" / algorithm / hexadecimal[:2] / hexadecimal

    def index_path(self, hub_url: str, package_id: str) -> Path:
        """Where it is remembered what ``hub_url`` said about a package."""
        hub = hashlib.sha256(hub_url.encode()).hexdigest()[:16]
        return self.folder / "said" / hub / f"{package_id}.json"


def _write_hashed(path: Path, pieces: Iterable[bytes]) -> str:
    hasher = hashlib.sha256()
    with path.open("wb") as file:
        for piece in pieces:
            hasher.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return f"sha256:{hasher.hexdigest()}"


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def _is_plain(path: Path) -> bool:
    """Whether this is a regular file. Reading a pipe or a device might never end."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _note_use(path: Path) -> None:
    """Set the file's modification time to record its use, since many disks do not record reading."""
    with suppress(OSError):  # the cache is read-only
        if time.time() - path.lstat().st_mtime > _NOTED_EVERY_SECONDS:
            path.touch()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _sweep(parent: Path, before: float) -> None:
    for folder in parent.iterdir():
        try:
            if folder.lstat().st_mtime < before:
                _remove(folder)
        except OSError:
            continue  # another process was faster
