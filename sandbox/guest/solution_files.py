"""The files of a solution: those that a verifier sends along, and those that the program leaves behind."""

import errno
import os
import stat
from collections.abc import Iterator

_FILES_BYTES = 256 << 10  # chosen: with the result they must fit one reply (1 MB)
_FILE_COUNT = 64  # chosen, not measured
_FILES_DEPTH = 64
"""Folders below each other in which files are looked for. A program may nest a thousand."""


class BadFilesError(ValueError):
    """The verifier's files cannot be written in any box."""


_FILES_FAULT = {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOSPC, errno.EINVAL, errno.EILSEQ}
"""Errors that the verifier's request causes in a sound box, such as too many files, or a file named like a folder."""


def write_files(folder: str, files: dict[str, str]) -> None:
    """Write the verifier's files below ``folder``; names may not leave it. Raises BadFilesError, OSError."""
    for name, text in files.items():
        parts = name.split("/")
        if name.startswith("/") or any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise BadFilesError(f"{name!r} is not a path inside the solution's folder")
        path = os.path.join(folder, *parts)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            if error.errno in _FILES_FAULT:
                raise BadFilesError(f"its files could not be written: {error}") from None
            raise


def collect_files(folder: str, before: dict[str, str]) -> dict[str, str]:
    """Small text files that are new or changed. Regular files only; no link is followed."""
    found: dict[str, str] = {}
    budget = _FILES_BYTES
    for path in _paths_below(folder):
        text = _read_text(path, budget)
        relative = os.path.relpath(path, folder)
        if text is None or before.get(relative) == text:
            continue
        budget -= len(text)
        found[relative] = text
        if len(found) == _FILE_COUNT or budget <= 0:
            break
    return found


def _paths_below(folder: str) -> Iterator[str]:
    """Everything in ``folder`` but folders, those at the top first. ``os.walk`` calls itself for each folder below
    another: a program that nests enough of them would end in a RecursionError of ours.
    """
    folders = [(folder, 0)]
    for root, depth in folders:
        try:
            entries = sorted(os.scandir(root), key=lambda entry: entry.name)
        except OSError:  # without permissions, or removed by a process that still runs
            continue
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield entry.path
            elif depth < _FILES_DEPTH:
                folders.append((entry.path, depth + 1))


def _read_text(path: str, budget: int) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > budget:
            return None
        return os.read(descriptor, facts.st_size).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    finally:
        os.close(descriptor)
