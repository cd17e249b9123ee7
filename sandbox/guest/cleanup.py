"""Cleans up after a call: kills and reaps the processes that it left, and empties the work folder.

If the folder cannot be emptied, the box is stale.
"""

import os
import signal
import stat

_DEEPEST = 24  # each level holds a descriptor and a frame of ours: a program may nest a thousand


def kill_leftovers(leader: int) -> int:
    """Kill and reap everything but this process. Returns how many processes there were, ``leader`` itself not counted.

    PID 1 of a box kills by ``kill(-1)``, which nothing in its namespace escapes. Anywhere else (the local backend) only
    the call's session and adopted orphans are killed: -1 would mean the whole machine.
    """
    if os.getpid() == 1:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return 0
    else:
        try:
            os.killpg(leader, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        _kill_adopted()
    return _reap_all()


def _kill_adopted() -> None:
    """Kill orphans that have been handed to this subreaper."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            children = file.read().split()
    except OSError:
        return
    for child in children:
        try:
            os.kill(int(child), signal.SIGKILL)
        except ProcessLookupError:
            pass


def _reap_all() -> int:
    count = 0
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return count
        count += 1


def wipe(folder: str) -> bool:
    """Empty ``folder`` and set its times to now. True when both succeeded. An empty folder costs two system calls.

    The times are set because a call could otherwise leave about 130 bits in them for the next one.
    """
    try:
        os.utime(folder, follow_symlinks=False)
        if not os.listdir(folder):
            return True
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _empty(descriptor, 0)
        finally:
            os.close(descriptor)
        os.utime(folder, follow_symlinks=False)
        return not os.listdir(folder)
    except OSError:
        return False


def remove(folder: str) -> bool:
    """Remove ``folder`` with all that is in it, whatever its mode. True when it is gone."""
    parent, name = os.path.split(folder)
    try:
        descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        _remove(descriptor, name, 0)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _empty(folder: int, depth: int) -> None:
    """Remove everything below the directory ``folder``.

    A name may be gone when its turn comes, because another process removed it: checkpoints of sessions remove their
    snapshots. The names after it are removed all the same.
    """
    if depth > _DEEPEST:
        raise OSError("too deep to wipe")
    for name in os.listdir(folder):
        try:
            _remove(folder, name, depth)
        except FileNotFoundError:
            continue


def _remove(folder: int, name: str, depth: int) -> None:
    """Remove ``name`` from the directory with descriptor ``folder``. Paths are relative to it, so no link is
    followed.
    """
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=folder)
        return
    os.chmod(name, 0o700, dir_fd=folder)
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        _empty(inner, depth + 1)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=folder)
