"""``python -m sandbox.backends.base_image``: make the base image; progress on stderr, one line of result on stdout."""

import sys
import time

from sandbox.backends.engine import DockerEngine
from sandbox.errors import SandboxError
from sandbox.images import layout
from sandbox.images.base import ensure_base, find_base
from sandbox.images.settings import ImageSettings


def base_image(url: str | None = None, settings: ImageSettings | None = None) -> int:
    """Make the base image if it is not there. Returns an exit status; prints, never raises a sandbox error."""
    started = time.monotonic()
    engine = DockerEngine(url)

    def say(line: str) -> None:
        sys.stderr.write(f"{time.monotonic() - started:5.1f} s  {line}\n")
        sys.stderr.flush()

    try:
        there = find_base(engine) is not None
        record = ensure_base(engine, settings or ImageSettings(), say)
    except SandboxError as error:
        sys.stderr.write(f"{error}\n")
        return 8
    made = "is there" if there else f"made in {time.monotonic() - started:.0f} s"
    where = record.labels.get(layout.LABEL_SOURCE, "")
    sys.stdout.write(f"base image {made}: {record.references[0]} from {where}, {record.size_bytes / 1e6:.0f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(base_image())
