"""A folder that a box of the local backend may use, which is a user of its own: pytest's folders are their owner's alone."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_folder() -> Iterator[Path]:
    """Everybody may read it and write into it; it is removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="verihub-open-"))
    folder.chmod(0o777)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
