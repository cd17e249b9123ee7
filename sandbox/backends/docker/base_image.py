"""``python -m sandbox.backends.docker.base_image [PYTHON]``: make the base image with that Python (3.11).

Progress on stderr, the result on stdout.
"""

import argparse
import sys
import time

from sandbox.backends.docker.engine import DockerEngine
from sandbox.errors import SandboxError
from sandbox.images import layout
from sandbox.images.base import ensure_base, find_base
from sandbox.images.settings import ImageSettings
from sandbox.settings import SandboxSettings
from schemas.wheels.box_python import BOX_PYTHONS, DEFAULT_PYTHON


def base_image(url: str | None = None, settings: ImageSettings | None = None, python: str = DEFAULT_PYTHON) -> int:
    """Make the base image if it is not there. Returns an exit status; prints, never raises a sandbox error."""
    started = time.monotonic()
    engine = DockerEngine(url or SandboxSettings().docker_url)

    def say(line: str) -> None:
        sys.stderr.write(f"{time.monotonic() - started:5.1f} s  {line}\n")
        sys.stderr.flush()

    try:
        there = find_base(engine, python) is not None
        record = ensure_base(engine, settings or ImageSettings(), say, python)
    except SandboxError as error:
        sys.stderr.write(f"{error}\n")
        return 8
    made = "is there" if there else f"made in {time.monotonic() - started:.0f} s"
    where = record.labels.get(layout.LABEL_SOURCE, "")
    sys.stdout.write(f"base image {made}: {record.references[0]} from {where}, {record.size_bytes / 1e6:.0f} MB\n")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="base_image", description=__doc__)
    parser.add_argument("python", nargs="?", default=DEFAULT_PYTHON, choices=sorted(BOX_PYTHONS))
    sys.exit(base_image(python=parser.parse_args().python))
