"""A collection's entries as people type them: one package a line, then a note."""

from collections.abc import Iterable

from schemas.collections import CollectionEntry


def lines_of(entries: Iterable[CollectionEntry]) -> str:
    """``owner/name@1.2.0 A note``, a line an entry."""
    return "\n".join(f"{entry.reference} {' '.join(entry.note.split())}".strip() for entry in entries)


def entries_of(text: str) -> list[CollectionEntry]:
    """The entries in such lines; empty lines are left out.

    Raises ``InvalidNameError`` (what stands first is no package, or names a range), ``ValidationError`` (a long note).
    """
    return [_entry_of(line.strip()) for line in text.splitlines() if line.strip()]


def _entry_of(line: str) -> CollectionEntry:
    reference, *note = line.split(maxsplit=1)
    return CollectionEntry.parse(reference, *note)
