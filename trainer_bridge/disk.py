"""Writing to a disk that may be full."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from trainer_bridge.errors import NotWrittenError


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Raise NotWrittenError where writing into ``folder`` fails.

    A full disk has many names: torch says "unexpected pos" or "iostream error". So the room that is left is told.
    """
    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        free = shutil.disk_usage(folder).free // 2**20
        raise NotWrittenError(
            f"{folder.parent} could not be written to, where {free} MB are free: {error}. What was written before is "
            "whole: make room, and go on with --resume"
        ) from error


@contextmanager
def full_disk_is_told(output: Path) -> Iterator[None]:
    """Raise NotWrittenError where a run's metrics, rollouts or notes meet a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise NotWrittenError(
            f"{output} could not be written to: {error.strerror}. The newest checkpoint is whole: make room, and go on "
            "with --resume"
        ) from error
