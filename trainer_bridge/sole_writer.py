"""One run at a time writes to an output folder: two would mix their files and remove each other's checkpoints."""

import errno
import fcntl
import os
import re
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trainer_bridge.errors import SettingsError
from trainer_bridge.ports import Progress
from trainer_bridge.ranks import Ranks

LOCK = "run.lock"
_HOLDER = re.compile(r"process \d+ on [\w.-]+")
_BUSY = frozenset({errno.EWOULDBLOCK, errno.EACCES})
_open_files: set[int] = set()


@contextmanager
def sole_writer(folder: Path, ranks: Ranks, progress: Progress) -> Iterator[None]:
    """Hold ``folder`` until the end. Of several processes the first one holds it, and all learn whether it does.

    The hold is the kernel's lock on the file ``run.lock`` (flock), not the file. It ends with the process, however that
    ends, so a run that was killed can be resumed at once. Where the file system knows no locks, the run is warned and
    goes on.

    Raises:
        SettingsError: another run writes there, or nobody can.

    """
    is_new, lock = not folder.exists(), None
    with ranks.fail_together():
        if ranks.is_first:
            lock = _hold(folder, progress)
    try:
        yield
    finally:
        if lock is not None:
            if is_new:
                _remove_unused(folder)  # while it is held: the next run may begin the moment that it is not
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_UN)  # for processes, too, that were forked this moment
            _close(lock)


def _hold(folder: Path, progress: Progress) -> int:
    """The lock's file, opened and locked."""
    while True:
        lock = _open(folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _BUSY:
                holder = _holder(lock)
                _close(lock)
                raise SettingsError(
                    f"{folder}: another run writes there{holder}. Wait until it has ended, or choose another --output"
                ) from None
            progress.warn(f"{folder} cannot be locked ({error.strerror}): do not start a second run there")
        if _is_still(folder / LOCK, lock):
            with suppress(OSError):  # it may be open to be read alone
                os.ftruncate(lock, 0)
                os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
            return lock
        _close(lock)  # the run that held it was refused for something else, and has removed it


def _open(folder: Path) -> int:
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        lock = _open_file(path)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.EISDIR}:
            raise SettingsError(f"{path} is not a plain file: remove it") from None
        raise SettingsError(f"{folder} cannot be written to: {error.strerror}") from error
    _open_files.add(lock)
    if not stat.S_ISREG(os.fstat(lock).st_mode):
        _close(lock)
        raise SettingsError(f"{path} is not a plain file: remove it")
    return lock


def _open_file(path: Path) -> int:
    """Open the file, which another account may own: a lock needs no right to write into it."""
    flags = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    except PermissionError:
        if not path.is_file():
            raise
        return os.open(path, os.O_RDONLY | flags)


def _is_still(path: Path, lock: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(path.lstat(), os.fstat(lock))
    return False


def _holder(lock: int) -> str:
    with suppress(OSError):
        said = os.pread(lock, 300, 0).decode(errors="replace").strip()
        return f" ({said})" if _HOLDER.fullmatch(said) else ""
    return ""


def _close(lock: int) -> None:
    if lock in _open_files:
        _open_files.remove(lock)
        os.close(lock)


def _close_in_fork() -> None:
    """A forked process would hold the lock for as long as it lives, even after the run was killed."""
    for lock in tuple(_open_files):
        with suppress(OSError):
            _close(lock)


os.register_at_fork(after_in_child=_close_in_fork)


def _remove_unused(folder: Path) -> None:
    """A run that was refused before it wrote anything leaves no folder."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [LOCK]:
            (folder / LOCK).unlink()
            folder.rmdir()
