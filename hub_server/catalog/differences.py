"""What differs between two releases, file by file and line by line."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

_CONTEXT = 3
MOST_LINES = 4000  # of one file; more would take longer than a reader waits
MOST_BYTES = 400_000


@dataclass(frozen=True)
class DiffLine:
    """One line of a hunk with its number before and after (None where it is not)."""

    kind: Literal["same", "add", "cut"]
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True)
class FileChange:
    """One file that differs. ``hunks`` is empty where lines cannot be compared; ``note`` then says why."""

    path: str
    what: Literal["added", "removed", "changed"]
    hunks: list[list[DiffLine]] = field(default_factory=list)
    note: str = ""

    @property
    def added(self) -> int:
        """Lines that are new."""
        return sum(line.kind == "add" for hunk in self.hunks for line in hunk)

    @property
    def removed(self) -> int:
        """Lines that are gone."""
        return sum(line.kind == "cut" for hunk in self.hunks for line in hunk)


@dataclass(frozen=True)
class ReleaseFiles:
    """One side of a comparison: digests by path, and how to read a file."""

    version: str
    digests: Mapping[str, str]
    read: Callable[[str], bytes]

    def by_name(self) -> dict[str, str]:
        """Path as both releases would call it -> real path: the metadata folder carries the version in its name."""
        return {path.replace(f"-{self.version}.dist-info/", ".dist-info/"): path for path in self.digests}


def compare_releases(old: ReleaseFiles, new: ReleaseFiles) -> list[FileChange]:
    """Every file whose digest differs, by path. The wheel's own records are left out."""
    before, after = old.by_name(), new.by_name()
    changes = []
    for name in sorted({*before, *after}):
        there, here = before.get(name), after.get(name)
        if _is_record(name) or (there and here and old.digests[there] == new.digests[here]):
            continue
        what: Literal["added", "removed", "changed"]
        what = "changed" if there and here else "added" if here else "removed"
        changes.append(_compare_file(name, what, old.read(there) if there else b"", new.read(here) if here else b""))
    return changes


def _is_record(path: str) -> bool:
    """RECORD and WHEEL restate the other files."""
    return path.endswith((".dist-info/RECORD", ".dist-info/WHEEL"))


def _compare_file(path: str, what: Literal["added", "removed", "changed"], before: bytes, after: bytes) -> FileChange:
    try:
        old, new = before.decode().splitlines(), after.decode().splitlines()
    except UnicodeDecodeError:
        return FileChange(path, what, note="This file is not text.")
    if max(len(old), len(new)) > MOST_LINES or max(len(before), len(after)) > MOST_BYTES:
        return FileChange(path, what, note="This file is too long to be compared line by line here.")
    return FileChange(path, what, hunks=line_hunks(old, new))


def line_hunks(old: list[str], new: list[str]) -> list[list[DiffLine]]:
    """Changed lines with three lines of context, as hunks."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    hunks = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        lines: list[DiffLine] = []
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                pairs = zip(range(old_from, old_to), range(new_from, new_to), strict=True)
                lines += [DiffLine("same", i + 1, j + 1, old[i]) for i, j in pairs]
            else:
                lines += [DiffLine("cut", i + 1, None, old[i]) for i in range(old_from, old_to)]
                lines += [DiffLine("add", None, j + 1, new[j]) for j in range(new_from, new_to)]
        hunks.append(lines)
    return hunks
