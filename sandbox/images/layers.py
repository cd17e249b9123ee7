"""Layers as deterministic tars: the same files give the same bytes, and so the same diff id, on every machine."""

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Layer:
    """One layer on local disk. ``diff_id`` is ``sha256:…`` of the uncompressed tar at ``path``."""

    diff_id: str
    path: Path
    size_bytes: int


class LayerStore:
    """Layers by diff id in a folder; writing is atomic, so any number of processes may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, diff_id: str) -> Layer | None:
        """The layer, if its file is here."""
        path = self._path(diff_id)
        return Layer(diff_id, path, path.stat().st_size) if path.exists() else None

    def write(self, fill: Callable[[tarfile.TarFile], None]) -> Layer:
        """A layer from what ``fill`` adds to an open tar."""
        handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
        part = Path(name)
        try:
            with (
                os.fdopen(handle, "wb") as stream,
                tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar,
            ):
                fill(tar)
            diff_id = digest_of_file(part)
            part.replace(self._path(diff_id))
        finally:
            part.unlink(missing_ok=True)
        path = self._path(diff_id)
        return Layer(diff_id, path, path.stat().st_size)

    def recover(self, diff_ids: Collection[str], image: BinaryIO) -> None:
        """Store those of the layers that this archive of an image holds, whatever they are called in it."""
        with tarfile.open(fileobj=image, mode="r|") as archive:
            for entry in filter(tarfile.TarInfo.isreg, archive):
                content = archive.extractfile(entry)
                assert content is not None
                handle, name = tempfile.mkstemp(dir=self._folder, suffix=".part")
                part = Path(name)
                try:
                    with os.fdopen(handle, "wb") as stream:
                        shutil.copyfileobj(content, stream, _BLOCK)
                    diff_id = digest_of_file(part)
                    if diff_id in diff_ids:
                        part.replace(self._path(diff_id))
                finally:
                    part.unlink(missing_ok=True)

    def write_files(self, root: str, files: Mapping[str, bytes], open_folders: Iterable[str] = ()) -> Layer:
        """A layer of ``files`` (relative path -> content) below ``root``, and of folders that anybody may write in."""

        def fill(tar: tarfile.TarFile) -> None:
            for folder in open_folders:
                tar.addfile(_entry(folder, tarfile.DIRTYPE, 0o1777))
            add_files(tar, root, files.items())

        return self.write(fill)

    def remembered(self, key: str, make: Callable[[], Layer]) -> Layer:
        """The layer that ``make`` gave for ``key`` before, or gives now. ``key`` is ``sha256:…`` of what goes in."""
        note = self._folder / f"{key.removeprefix('sha256:')}.made"
        if note.exists():
            known = self.get(note.read_text().strip())
            if known is not None:
                return known
        layer = make()
        note.write_text(layer.diff_id)
        return layer

    def keep_only(self, diff_ids: set[str], spare_seconds: float = 3600.0) -> int:
        """Remove every other layer file that is older than ``spare_seconds`` (a build may be about to use a young
        one); returns the bytes freed.
        """
        freed = 0
        oldest = time.time() - spare_seconds
        for path in [*self._folder.glob("*.tar"), *self._folder.glob("*.part")]:
            facts = path.stat()
            if f"sha256:{path.stem}" not in diff_ids and facts.st_mtime < oldest:
                freed += facts.st_size
                path.unlink(missing_ok=True)
        return freed

    def _path(self, diff_id: str) -> Path:
        return self._folder / f"{diff_id.removeprefix('sha256:')}.tar"


def add_files(tar: tarfile.TarFile, root: str, files: Iterable[tuple[str, bytes]]) -> None:
    """Add files below ``root`` in sorted order, with their folders; root owns all, and nobody may write."""
    made: set[str] = set()
    for name, data in sorted(files):
        path = f"{root.strip('/')}/{name}" if root.strip("/") else name
        for folder in _parents(path):
            if folder not in made:
                made.add(folder)
                tar.addfile(_entry(folder, tarfile.DIRTYPE, 0o755))
        entry = _entry(path, tarfile.REGTYPE, 0o644)
        entry.size = len(data)
        tar.addfile(entry, io.BytesIO(data))


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """A small tar in memory, with the same rules as a layer."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        add_files(tar, "", files.items())
    return buffer.getvalue()


def digest_of_file(path: Path) -> str:
    """``sha256:…`` of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for end in range(1, len(parts) + 1):
        yield "/".join(parts[:end])


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, 0
    return entry
