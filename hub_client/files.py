"""Writes files atomically: a reader sees either the old or the new content."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Replace ``path`` atomically: an interrupted command leaves the old file or the new one."""
    with whole_file(path) as fresh, fresh.open("xb") as file:  # Never through a link, which others may have put there.
        file.write(data)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what ``path`` will be: a file beside it that takes its place at the end.

    After an error ``path`` is as it was.
    """
    fresh = path.with_name(f".{path.stem}.{secrets.token_hex(8)}.new{path.suffix}")
    try:
        yield fresh
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
