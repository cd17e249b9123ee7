"""Reads folders of Harbor tasks, which strangers wrote: within limits, and without running anything in them."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub_client.errors import NotFoundError
from hub_client.imports.draft import ImportRefusedError
from schemas.strict_toml import parse_toml
from schemas.wording import counted

LARGEST_TASK = 1 << 20
"""The most bytes of a task's files together, since they are sent into a box with each command."""
MOST_FILES = 400  # of one task; chosen, not measured
MOST_TASKS = 300  # of one package; chosen, not measured
_LARGEST_TABLE = 64 << 10  # of a task.toml, which a person writes; chosen
_DEEPEST = 3
_DEEPEST_FILE = 12
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}", re.ASCII)


@dataclass(frozen=True)
class TaskFile:
    """One file of a task."""

    data: bytes
    runs: bool
    """Whether it may be executed."""

    @property
    def text(self) -> str | None:
        """None where it is no text."""
        try:
            return None if b"\0" in self.data else self.data.decode()
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True)
class TaskFolder:
    """``files`` by path inside the folder; ``table`` is its ``task.toml``. ``refused``: why it cannot be read."""

    name: str
    files: Mapping[str, TaskFile]
    table: Mapping[str, Any]
    refused: str = ""

    def text(self, path: str) -> str:
        """A file as text; empty where there is none."""
        return (self.files[path].text or "") if path in self.files else ""

    def below(self, folder: str) -> dict[str, TaskFile]:
        """Files below ``folder``, by path inside of it."""
        return {path[len(folder) + 1 :]: file for path, file in self.files.items() if path.startswith(f"{folder}/")}


def read_tasks(place: Path) -> list[TaskFolder]:
    """Every task in ``place``, or the one that it is, sorted by name.

    Raises NotFoundError where there is none, and :class:`ImportRefusedError` for more than a package takes.
    """
    folders = sorted(_task_folders(place, _DEEPEST))
    if not folders:
        raise NotFoundError(f"{place} has no task.toml, and no folder with one: name a folder of Harbor tasks")
    if len(folders) > MOST_TASKS:
        raise ImportRefusedError(
            f"{place} holds {counted(len(folders), 'task')}, and a package takes {MOST_TASKS}: import parts of it"
        )
    return [_read(folder, _called(folder, place)) for folder in folders]


def _task_folders(place: Path, depth: int) -> Iterator[Path]:
    if place.is_symlink() or not place.is_dir():
        return
    if (place / "task.toml").is_file():
        yield place
    elif depth:
        for child in place.iterdir():
            if not child.name.startswith("."):
                yield from _task_folders(child, depth - 1)


def _called(folder: Path, place: Path) -> str:
    return folder.resolve().name if folder == place else folder.relative_to(place).as_posix()


def _read(folder: Path, name: str) -> TaskFolder:
    """The task, or why it is refused: one bad folder does not spoil the others."""
    try:
        if not _NAME.fullmatch(name.rpartition("/")[2]):
            raise ImportRefusedError("its folder's name has other signs than letters, digits, '.', '_' and '-'")
        table = _table(folder / "task.toml")
        return TaskFolder(name, dict(_files(folder)), table)
    except ImportRefusedError as error:
        return TaskFolder(name, {}, {}, str(error))


def _table(path: Path) -> dict[str, Any]:
    if path.is_symlink():
        raise ImportRefusedError("it has a link: task.toml")
    if path.stat().st_size > _LARGEST_TABLE:
        raise ImportRefusedError(f"its task.toml has over {_LARGEST_TABLE >> 10} KB")
    try:
        return parse_toml(path.read_bytes().decode())
    except (ValueError, OSError) as error:
        raise ImportRefusedError(f"its task.toml cannot be read: {str(error)[:120]}") from None


def _files(folder: Path) -> Iterator[tuple[str, TaskFile]]:
    """All regular files. Sizes are known before a file is opened; links, pipes and devices are refused."""
    size = count = 0
    for path in sorted(_entries(folder)):
        inside = path.relative_to(folder).as_posix()
        facts = path.lstat()
        if stat.S_ISLNK(facts.st_mode):
            raise ImportRefusedError(f"it has a link: {inside!r}")
        if stat.S_ISDIR(facts.st_mode):
            continue
        if not stat.S_ISREG(facts.st_mode):
            raise ImportRefusedError(f"it has something that is no file: {inside!r}")
        size, count = size + facts.st_size, count + 1
        if size > LARGEST_TASK or count > MOST_FILES:
            raise ImportRefusedError(f"it has over {LARGEST_TASK >> 20} MB, or over {MOST_FILES} files")
        yield inside, TaskFile(_bytes(path, inside), bool(facts.st_mode & 0o100))


def _entries(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        if len(Path(root).relative_to(folder).parts) > _DEEPEST_FILE:
            raise ImportRefusedError(f"its folders are nested more than {_DEEPEST_FILE} deep")
        if any(not name.isprintable() for name in (*folders, *names)):
            raise ImportRefusedError("it has a file name with signs that cannot be printed")
        yield from (Path(root, name) for name in (*folders, *names))


def _bytes(path: Path, inside: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise ImportRefusedError(f"{inside!r} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(LARGEST_TASK + 1)
