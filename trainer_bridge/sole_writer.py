"""One run at a time writes to an output folder: two would mix their files and remove each other's checkpoints."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from trainer_bridge.errors import SettingsError
from trainer_bridge.ports import Progress
from trainer_bridge.ranks import Ranks

LOCK = "run.lock"


@contextmanager
def sole_writer(folder: Path, ranks: Ranks, progress: Progress) -> Iterator[None]:
    """Hold ``folder`` until the end. Of several processes the first one holds it, and all learn whether it does.

    The kernel ends the hold with the process, however that ends, so a run that was killed can be resumed at once. Where
    the file system knows no locks, the run is warned and goes on.

    Raises:
        SettingsError: another run writes there.

    """
    lock = FileLock(folder / LOCK)
    is_new = not folder.exists()
    if ranks.broadcast_object(ranks.is_first and not _is_taken(lock, folder, progress)):
        try:
            yield
        finally:
            lock.release()
            if is_new and ranks.is_first:
                _remove_unused(folder)
        return
    raise SettingsError(f"{folder}: another run writes there. Wait until it has ended, or choose another --output")


def _is_taken(lock: FileLock, folder: Path, progress: Progress) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except (OSError, NotImplementedError) as error:
        progress.warn(f"{folder} cannot be locked ({error}): do not start a second run there")
    return False


def _remove_unused(folder: Path) -> None:
    """A run that was refused before it wrote anything leaves no folder."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [LOCK]:
            (folder / LOCK).unlink()
            folder.rmdir()
