"""Waits until files and names are on the disk, so that a loss of power takes nothing that was acknowledged."""

import os
from pathlib import Path


def sync_to_disk(*paths: Path) -> None:
    """Sync files, and folders for the names in them. A name is on the disk once the folder that holds it is synced."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
