"""After a call: kill whatever it started, reap it, wipe its folder. What cannot be wiped makes the box stale."""

import os
import signal
import stat

_DEEPEST = 24


def kill_strays(leader: int) -> int:
    """Kill and reap everything but this process; returns how many there were beside ``leader``'s own exit.

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
    """Empty ``folder``. True when it is empty now; a clean one costs a single directory read."""
    try:
        if not os.listdir(folder):
            return True
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _empty(descriptor, 0)
        finally:
            os.close(descriptor)
        return not os.listdir(folder)
    except OSError:
        return False


def _empty(folder: int, depth: int) -> None:
    """Remove everything below the directory ``folder``, by names relative to it: no link is ever followed."""
    if depth > _DEEPEST:
        raise OSError("too deep to wipe")
    for name in os.listdir(folder):
        if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=folder)
            continue
        os.chmod(name, 0o700, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            _empty(inner, depth + 1)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=folder)
