"""Writes files atomically: a reader sees either the old or the new content."""

import secrets
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Replace ``path`` atomically: an interrupted command leaves the old file or the new one."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    try:
        with fresh.open("xb") as file:  # Never write through a link, which somebody else may have put there.
            file.write(data)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
