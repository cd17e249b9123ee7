"""Puts new files into a project: all of them, or, after an error, a full disk or a kill, none.

The new files and the old ones that they replace lie in a hidden folder of the project until all are in place. Where
that folder says that the exchange had begun, the old files are put back when the project is next read.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from hub_client.errors import ConflictError

FOLDER = ".verihub-update"
_BEGUN = "begun.json"
"""Lists the files that were not there before. While it exists, the exchange has begun and has not ended."""


def replace_files(target: Path, files: Mapping[str, bytes], gone: Sequence[str] = ()) -> None:
    """Write ``files`` (path in ``target`` -> content) and remove ``gone``; other files in ``target`` stay.

    Raises :class:`ConflictError` where a folder stands in a file's place, where a link leads out of ``target``, or
    while another process does the same; OSError. In each of these cases ``target`` is as it was.
    """
    undo_replacement(target)
    with _owned(target) as place:
        for path, data in files.items():
            _refuse_folders(target, path)
            _refuse_links_out(target, path)
            _write(place / "new" / path, data)
        fresh = [path for path in files if not _is_there(target / path)]
        for path in (files.keys() - set(fresh)) | {path for path in gone if _is_there(target / path)}:
            _keep(target / path, place / "old" / path)
        _write(place / "draft.json", json.dumps(fresh).encode())
        (place / "draft.json").replace(place / _BEGUN)
        try:
            for path in files:
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                (place / "new" / path).replace(target / path)
            for path in gone:
                (target / path).unlink(missing_ok=True)
        except BaseException:
            _put_back(target, place)
            raise
        (place / _BEGUN).unlink()


def undo_replacement(target: Path) -> None:
    """Put the old files back where an exchange was killed; nothing happens where none was.

    Raises :class:`ConflictError` while another process exchanges files there, and for a folder that nothing of ours
    has left: whoever wrote the project may have put one into it.
    """
    if (target / FOLDER).is_dir():
        with _owned(target) as place:
            _put_back(target, place)


@contextmanager
def _owned(target: Path) -> Iterator[Path]:
    """The hidden folder, for this process alone. It is removed at the end."""
    place = target / FOLDER
    if place.is_symlink() or (place.is_dir() and any(path.is_symlink() for path in place.iterdir())):
        raise _not_ours(place)
    place.mkdir(exist_ok=True)
    try:
        with FileLock(place / "lock", blocking=False):
            try:
                yield place
            finally:
                if not (place / _BEGUN).exists():  # else the old files lie there still
                    shutil.rmtree(place, ignore_errors=True)
    except Timeout:
        raise ConflictError(f"another process writes into {target}: try again when it has ended") from None


def _put_back(target: Path, place: Path) -> None:
    if not (place / _BEGUN).is_file():
        return
    fresh = _fresh_files(place)
    old = [kept for kept in sorted((place / "old").rglob("*")) if kept.is_symlink() or not kept.is_dir()]
    back = {kept: target / kept.relative_to(place / "old") for kept in old}
    for each in (*back.values(), *(target / path for path in fresh)):
        _refuse_outside(target, place, each)
    for kept, each in back.items():
        kept.replace(each)
    for path in fresh:
        (target / path).unlink(missing_ok=True)
        _remove_empty(target, (target / path).parent)
    (place / _BEGUN).unlink()


def _fresh_files(place: Path) -> list[str]:
    """Which files were not there before. Raises :class:`ConflictError` where the folder is none of ours."""
    try:
        found = json.loads((place / _BEGUN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, list) or not all(isinstance(path, str) for path in found):
        raise _not_ours(place)
    return found


def _refuse_outside(target: Path, place: Path, path: Path) -> None:
    """A project that came from somebody else may hold such a folder, which nobody asked to be put back."""
    if ".." in path.parts or not path.parent.resolve().is_relative_to(target.resolve()):
        raise _not_ours(place)


def _not_ours(place: Path) -> ConflictError:
    return ConflictError(
        f"{place} is not what an update of this project left there, or is damaged: nothing was put back. Compare the "
        "files in its folder `old` with the project's, and remove it"
    )


def _remove_empty(target: Path, folder: Path) -> None:
    """Folders that were made for a new file; one with something in it stays."""
    while folder != target and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _refuse_folders(target: Path, path: str) -> None:
    whole = target / path
    if whole.is_dir() and not whole.is_symlink():
        raise ConflictError(f"{whole} is a folder, and a file has to be there: move it away")
    above = next((parent for parent in whole.parents if _is_there(parent)), target)
    if not above.is_dir():
        raise ConflictError(f"{above} is a file, and a folder has to be there: move it away")


def _refuse_links_out(target: Path, path: str) -> None:
    """A project that came from somebody else may hold a link in a folder's place, and files would be written there."""
    folder = (target / path).parent
    if not folder.resolve().is_relative_to(target.resolve()):
        raise ConflictError(f"{folder} lies outside of {target}, by a link: put a folder in its place")


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


def _keep(path: Path, place: Path) -> None:
    """A second name for the file, so that nothing is copied; a copy where the file system has no such names."""
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, place, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, place, follow_symlinks=False)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
