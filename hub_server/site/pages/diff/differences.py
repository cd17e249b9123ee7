"""What differs between two releases, file by file and line by line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hub_server.site.pages.diff.patience_diff import matching_runs
from schemas.text_lines import text_lines

_CONTEXT = 3
MOST_LINES = 4000  # of one file; a page with more is of no use to a reader
MOST_BYTES = 400_000  # of one file; chosen, not measured
MOST_FILES = 200  # chosen, not measured
MOST_COMPARED = 500_000  # bytes of both releases together: a page of 3 MB (decision 37)
_LINE_COSTS = 60  # what a line adds to the page, in bytes


@dataclass(frozen=True)
class DiffLine:
    """One line of a hunk with its number before and after (None where it is not)."""

    kind: Literal["same", "add", "cut"]
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True)
class FileChange:
    """One file that differs. Where ``hunks`` is empty, ``note`` says why."""

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


def compare_releases(old: ReleaseFiles, new: ReleaseFiles) -> tuple[list[FileChange], int]:
    """Files whose digest differs, by path, and how many more there are than are shown.

    The wheel's own records are left out. Lines are compared until ``MOST_COMPARED`` is used up.
    """
    before, after = old.by_name(), new.by_name()
    changes: list[FileChange] = []
    left, left_out = MOST_COMPARED, 0
    for name in sorted({*before, *after}):
        there, here = before.get(name), after.get(name)
        if _is_record(name) or (there and here and old.digests[there] == new.digests[here]):
            continue
        if len(changes) == MOST_FILES:
            left_out += 1
            continue
        what: Literal["added", "removed", "changed"]
        what = "changed" if there and here else "added" if here else "removed"
        if left <= 0:
            changes.append(FileChange(name, what, note="Too large to show: the files above fill this page."))
            continue
        texts = (old.read(there) if there else b"", new.read(here) if here else b"")
        left -= sum(len(text) + _LINE_COSTS * text.count(b"\n") for text in texts)
        changes.append(_compare_file(name, what, *texts))
    return changes, left_out


def _is_record(path: str) -> bool:
    """RECORD and WHEEL restate the other files."""
    return path.endswith((".dist-info/RECORD", ".dist-info/WHEEL"))


def _compare_file(path: str, what: Literal["added", "removed", "changed"], before: bytes, after: bytes) -> FileChange:
    try:
        old, new = text_lines(before.decode()), text_lines(after.decode())
    except UnicodeDecodeError:
        return FileChange(path, what, note="This file is not text.")
    if max(len(old), len(new)) > MOST_LINES or max(len(before), len(after)) > MOST_BYTES:
        return FileChange(path, what, note="This file is too long to be compared line by line here.")
    if old == new:
        return FileChange(path, what, note="Only the ends of its lines differ." if old else "This file is empty.")
    return FileChange(path, what, hunks=line_hunks(old, new))


def line_hunks(old: Sequence[str], new: Sequence[str]) -> list[list[DiffLine]]:
    """Changed lines with three lines of context, as hunks."""
    lines: list[DiffLine] = []
    i = j = 0
    for start_old, start_new, length in [*matching_runs(old, new), (len(old), len(new), 0)]:
        lines += [DiffLine("cut", at + 1, None, old[at]) for at in range(i, start_old)]
        lines += [DiffLine("add", None, at + 1, new[at]) for at in range(j, start_new)]
        lines += [DiffLine("same", start_old + k + 1, start_new + k + 1, old[start_old + k]) for k in range(length)]
        i, j = start_old + length, start_new + length
    return _grouped(lines)


def _grouped(lines: list[DiffLine]) -> list[list[DiffLine]]:
    """Keep the lines within three lines of a change. Changes whose lines touch are one hunk."""
    near = [False] * len(lines)
    for index, line in enumerate(lines):
        if line.kind != "same":
            for at in range(max(0, index - _CONTEXT), min(len(lines), index + _CONTEXT + 1)):
                near[at] = True
    hunks: list[list[DiffLine]] = []
    for index, line in enumerate(lines):
        if near[index]:
            if index == 0 or not near[index - 1]:
                hunks.append([])
            hunks[-1].append(line)
    return hunks
