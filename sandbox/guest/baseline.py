"""What a box is like before its first call, so that a call that changes it for the calls after it is found out.

A call runs as the same user as the zygote. Where the engine's filter and the folder's owner do not keep it from that
already, it may lower the zygote's limits, priority or processors, which every later call inherits, or change the work
folder itself. What the zygote has open is shared with its children, and so is any other folder that the user may write
to. The zygote compares after each group.

Not compared, because no other process can change it: the zygote's working directory, umask, signal handlers, mounts,
which descriptors it has, and its ``oom_score_adj`` (a file of root's, since the zygote is not dumpable). Not compared,
because nothing tells of it: shared memory that the package itself mapped when it was imported.
"""

import fcntl
import os
import platform
import resource
import select
import stat
from collections.abc import Callable
from ctypes import CDLL

from sandbox.guest.line import BEYOND_OURS, FIRST_OF_OURS

_LIMITS = range(16)  # every number that Linux has: those without a name in Python could hold a note to the next call
_COMPARED = (
    "the work folder",
    "the resource limits",
    "the priority",
    "the processors",
    "the scheduling policy",
    "the input and output priority",
    "an open file",
    "an open pipe or socket",
    "a folder outside the work folder",
)
_HIGHEST_DESCRIPTOR = 1024
_LARGEST_KEPT_BYTES = 1 << 20
_OTHER_FOLDERS = ("/dev/mqueue", "/dev/shm", "/var/tmp", "/run/lock")
_IOPRIO_NUMBERS = {"x86_64": (251, 252), "aarch64": (30, 31)}  # ioprio_set and ioprio_get, which Python does not have
_PROCESS = 1
_libc = CDLL(None, use_errno=True)


class BoxChangedError(Exception):
    """A session changed the box for its siblings: nothing that is said in it counts any more."""


class _OpenFile:
    """A regular file that the package opened when it was imported, as it was then.

    Calls share it with the zygote: its position, its flags, its lock, and its content where it is open for writing.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        self._position = os.lseek(descriptor, 0, os.SEEK_CUR)
        self._is_writable = bool(self._flags & os.O_ACCMODE)
        self._content = _content_of(descriptor) if self._is_writable else None
        self._facts = self._look()

    def restore(self) -> bool:
        """Put back what a call may have changed. False when that cannot be done."""
        os.lseek(self._descriptor, self._position, os.SEEK_SET)
        fcntl.fcntl(self._descriptor, fcntl.F_SETFL, self._flags)
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        if not self._is_writable or self._look() == self._facts:
            return True
        if self._content is None:
            return False
        try:
            os.fchmod(self._descriptor, self._facts[1])
            os.ftruncate(self._descriptor, 0)
            written = os.pwrite(self._descriptor, self._content, 0)
        except OSError:
            return False
        self._facts = (*self._facts[:2], self._look()[2])
        return written == len(self._content) and self._look() == self._facts

    def _look(self) -> tuple[int, int, int]:
        """These differ once the file was written to or cut. ``ctime`` cannot be set, unlike the other times."""
        facts = os.fstat(self._descriptor)
        return facts.st_size, stat.S_IMODE(facts.st_mode), facts.st_ctime_ns


class Baseline:
    """The state of this process and of ``work_folder`` as it is now. Make it last, before the first call."""

    def __init__(self, work_folder: str) -> None:
        self._work_folder = work_folder
        self._files, pipes = _open_files()
        self._pipes = _poll_of(pipes)
        self._limits = limits_others_may_set()
        self._ioprio = _settable_ioprio()
        self._folders = _other_folders(work_folder)
        self._before = self._look()

    def find_change(self) -> str:
        """What differs now, in words for the operator; empty when nothing does.

        Files that the package opened at import are put back to what they were: a log that each call writes to is not
        a reason to replace the box each time.
        """
        now = self._look()
        if now == self._before:
            return ""
        return ", ".join(name for name, old, new in zip(_COMPARED, self._before, now, strict=True) if old != new)

    def _look(self) -> tuple[object, ...]:
        """In the order of :data:`_COMPARED`."""
        return (
            _facts_of(self._work_folder),
            [resource.getrlimit(limit) for limit in self._limits],
            os.getpriority(os.PRIO_PROCESS, 0),
            os.sched_getaffinity(0),
            os.sched_getscheduler(0),
            self._ioprio and self._ioprio(),
            [file.restore() for file in self._files],
            self._pipes and sorted(self._pipes.poll(0)),
            [(_facts_of(folder), os.listdir(folder)) for folder in self._folders],
        )


def limits_others_may_set() -> list[int]:
    """The limits of this process that another process of its user may set: all, or none behind the engine's filter.

    The filter lets a process set only its own limits, and only without naming itself by its number. So whoever may
    set a limit of this process may set it by that number. Looking at all of them would take most of a comparison.
    """
    settable = []
    for limit in _LIMITS:
        try:
            resource.prlimit(os.getpid(), limit, resource.getrlimit(limit))
        except PermissionError:  # raised by a filter alone: the kernel lets a process keep its limits as they are
            continue
        except OSError:  # a kernel of another make: whether others may is not known, so they are looked at
            pass
        settable.append(limit)
    return settable


def _settable_ioprio() -> Callable[[], int] | None:
    """Reads the input and output priority of this process; None where no other process can set it."""
    numbers = _IOPRIO_NUMBERS.get(platform.machine())
    if numbers is None:
        return None
    set_it, get_it = numbers
    now = int(_libc.syscall(get_it, _PROCESS, 0))
    if now < 0 or _libc.syscall(set_it, _PROCESS, os.getpid(), now) < 0:  # by its number, as others would
        return None
    return lambda: int(_libc.syscall(get_it, _PROCESS, 0))


def _other_folders(work_folder: str) -> list[str]:
    """Folders beside the work folder in which this process may make a file: empty where Landlock is in force.

    Only in a box of its own. Elsewhere they are everybody's.
    """
    return [folder for folder in _OTHER_FOLDERS if os.getpid() == 1 and folder != work_folder and _takes_files(folder)]


def _takes_files(folder: str) -> bool:
    path = f"{folder}/verihub-{os.getpid()}"
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        os.unlink(path)
    except OSError:
        return False
    return True


def _facts_of(folder: str) -> tuple[int, ...]:
    """Empty when it cannot be looked at. Its times are not among them: wiping sets them."""
    try:
        facts = os.stat(folder, follow_symlinks=False)
    except OSError:
        return ()
    return facts.st_mode, facts.st_uid, facts.st_gid, facts.st_ino, facts.st_dev


def _content_of(descriptor: int) -> bytes | None:
    """What a file holds; None where it is too large to keep, or may not be read."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return b""
    try:
        content = os.pread(descriptor, _LARGEST_KEPT_BYTES + 1, 0)
    except OSError:
        return None
    return content if len(content) == size <= _LARGEST_KEPT_BYTES else None


def _open_files() -> tuple[list[_OpenFile], list[int]]:
    """The regular files that are open in this process, and the numbers of what can be polled, our lines left out."""
    files, pipes = [], []
    for descriptor in range(3, _HIGHEST_DESCRIPTOR):
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISREG(mode):
                files.append(_OpenFile(descriptor))
            elif not stat.S_ISDIR(mode) and not FIRST_OF_OURS <= descriptor < BEYOND_OURS:
                pipes.append(descriptor)
        except OSError:  # nothing is open under that number
            continue
    return files, pipes


def _poll_of(descriptors: list[int]) -> "select.poll | None":
    """Asks whether anything can be read from, or written to, these; None where there are none."""
    if not descriptors:
        return None
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN | select.POLLOUT | select.POLLHUP)
    return poll
