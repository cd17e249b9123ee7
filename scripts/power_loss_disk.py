"""What a disk may hold after power was lost: a recorded order of writes, replayed up to a moment.

Until a file is synced, each sector of its writes may or may not be on the disk; until a folder is synced, so may each
name that was made, moved or removed in it. A sync makes last what had ended when it began. That is what POSIX promises,
and less than what most file systems keep.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

SECTOR = 512
"""Bytes that a disk writes as a whole or not at all."""
OpKind = Literal["create", "mkdir", "write", "truncate", "rename", "link", "unlink", "sync", "ack"]


@dataclass(frozen=True)
class Op:
    """One act of a process. ``path`` is absolute; ``other`` is where a rename or link leads, or an acknowledgement."""

    kind: OpKind
    path: str
    other: str = ""
    offset: int = 0
    data: bytes = b""
    size: int = 0
    began_after: int | None = None
    """Of a sync: how many acts had ended when it began; None: all before it."""


@dataclass
class _Change:
    """A write, or a name that was made or removed. ``safe_from``: the number of the sync that made it last."""

    number: int
    op: Op
    safe_from: int | None = None


@dataclass
class _File:
    changes: list[_Change] = field(default_factory=list)

    def content(self, keeps: Callable[[_Change], bool]) -> bytes:
        held = bytearray()
        for change in self.changes:
            if not keeps(change):
                continue
            op = change.op
            if op.kind == "truncate":
                del held[op.size :]
                held.extend(bytes(op.size - len(held)))
            else:
                held.extend(bytes(max(0, op.offset - len(held))))
                held[op.offset : op.offset + len(op.data)] = op.data
        return bytes(held)


@dataclass
class _Name:
    change: _Change
    path: str
    file: _File | None
    """None: the name is removed."""
    is_folder: bool = False


class Disk:
    """Reads a record once; then :meth:`after` gives the files of any moment."""

    def __init__(self, root: Path, ops: Sequence[Op]) -> None:
        """``ops``: what happened below ``root``, in order. What else they touch is left out."""
        self._root = str(root)
        self._now: dict[str, _File] = {}
        self._folders = {self._root}
        self._names: list[_Name] = []
        self._files: list[_File] = []
        self.acknowledged: list[tuple[int, str]] = []
        """(number of the act, what was acknowledged)."""
        self.moments: list[int] = []
        """After each of these acts the disk differs from before."""
        for number, op in enumerate(ops, start=1):
            if op.kind == "ack":
                self.acknowledged.append((number, op.other))
            elif self._is_inside(op.path):
                self._take(number, op)
                self.moments.append(number)

    def after(self, moment: int, keeps_unsynced: Callable[[], bool]) -> dict[str, bytes | None]:
        """Path -> content (None: a folder) where power was lost right after an act. ``keeps_unsynced`` is asked about
        each change that no sync had made last by then.
        """

        def keeps(change: _Change) -> bool:
            if change.number > moment:
                return False
            is_safe = change.safe_from is not None and change.safe_from <= moment
            return is_safe or keeps_unsynced()

        chosen: dict[int, bool] = {}

        def keeps_once(change: _Change) -> bool:
            return chosen.setdefault(id(change), keeps(change))

        shown: dict[str, _Name] = {}
        for name in self._names:
            if not keeps_once(name.change):
                continue
            if name.file is None and not name.is_folder:
                shown.pop(name.path, None)
            else:
                shown[name.path] = name
        reached = {path: name for path, name in shown.items() if self._is_reached(path, shown)}
        return {path: None if name.file is None else name.file.content(keeps_once) for path, name in reached.items()}

    def _is_reached(self, path: str, shown: dict[str, _Name]) -> bool:
        parent = path.rpartition("/")[0]
        return parent == self._root or (parent in shown and self._is_reached(parent, shown))

    def _is_inside(self, path: str) -> bool:
        return path == self._root or path.startswith(self._root + "/")

    def _take(self, number: int, op: Op) -> None:
        change = _Change(number, op)
        if op.kind == "sync":
            self._sync(number, op)
        elif op.kind == "truncate":
            self._file(number, op.path).changes.append(change)
        elif op.kind == "write":
            self._file(number, op.path).changes.extend(_Change(number, part) for part in _sectors(op))
        elif op.kind == "mkdir":
            self._folders.add(op.path)
            self._names.append(_Name(change, op.path, None, is_folder=True))
        elif op.kind == "create":
            self._file(number, op.path)
        elif op.kind == "unlink":
            self._now.pop(op.path, None)
            self._names.append(_Name(change, op.path, None))
        else:
            self._move(change, op)

    def _file(self, number: int, path: str) -> _File:
        if path not in self._now:
            self._add(path, _File(), _Change(number, Op("create", path)))
        return self._now[path]

    def _add(self, path: str, file: _File, change: _Change) -> None:
        self._now[path] = file
        self._files.append(file)
        self._names.append(_Name(change, path, file))

    def _move(self, change: _Change, op: Op) -> None:
        """A rename within a folder is one change: its new name and the end of its old one are kept or lost together.
        One into another folder is two: each folder is synced by itself. Where only the old one was, a file may be gone.
        """
        file = self._file(change.number, op.path)
        if not self._is_inside(op.other):
            return
        self._add(op.other, file, change)
        if op.kind == "rename":
            self._now.pop(op.path, None)
            is_within = op.path.rpartition("/")[0] == op.other.rpartition("/")[0]
            self._names.append(_Name(change if is_within else _Change(change.number, op), op.path, None))

    def _sync(self, number: int, op: Op) -> None:
        path = op.path
        if path in self._folders:
            changes: Iterable[_Change] = (name.change for name in self._names if name.path.rpartition("/")[0] == path)
        else:
            changes = self._now[path].changes if path in self._now else ()
        covered = number if op.began_after is None else op.began_after
        for change in changes:
            if change.safe_from is None and change.number <= covered:
                change.safe_from = number


def _sectors(op: Op) -> Iterator[Op]:
    """A write in the parts that a disk may keep one by one."""
    start = 0
    while start < len(op.data):
        end = start + SECTOR - (op.offset + start) % SECTOR
        yield replace(op, offset=op.offset + start, data=op.data[start:end])
        start = end


def write_out(files: dict[str, bytes | None], root: Path, into: Path) -> None:
    """Lay the files of a moment down in a folder."""
    into.mkdir(parents=True, exist_ok=True)
    for path, content in sorted(files.items()):
        target = into / Path(path).relative_to(root)
        if content is None:
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


Item = TypeVar("Item")


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """At most ``count`` of the items, evenly chosen, the last among them."""
    if len(items) <= count:
        return list(items)
    return [items[(index + 1) * len(items) // count - 1] for index in range(count)]
