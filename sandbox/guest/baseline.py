"""The state of a box before its first call, to detect a call that changes the box for later calls.

A call runs as the same user as the zygote. If neither the engine's seccomp filter nor the folder's owner prevents it, a
call may lower the zygote's limits, priority or processors, which every later call inherits, or change the work folder.
Children also share what the zygote has open, and any other folder that the user may write to. The zygote compares this
state after each call group.

Not compared, because no other process can change it: the zygote's working directory, umask, signal handlers, mounts,
its descriptors, and its ``oom_score_adj`` (a file of root's, since the zygote is not dumpable). Not compared, because
it cannot be observed: shared memory that the package itself mapped when it was imported.
"""

import fcntl
import os
import platform
import resource
import select
import stat
import struct
from collections.abc import Callable
from ctypes import CDLL
from functools import partial

from sandbox.guest.line import BEYOND_OURS, FIRST_OF_OURS

# all limits of Linux, also those that Python does not name: a call could leave data in them for the next one
_LIMITS = range(16)
# the same on all supported machines; importing termios for this one constant costs memory in each fork
_FIONREAD = 0x541B
_LARGEST_KEPT_BYTES = 1 << 20  # of a file that the package holds open: kept to notice and undo what calls write into it
_OTHER_FOLDERS = ("/dev/mqueue", "/dev/shm", "/var/tmp", "/run/lock")
_IOPRIO_NUMBERS = {"x86_64": (251, 252), "aarch64": (30, 31)}  # ioprio_set and ioprio_get, which Python does not have
_PROCESS = 1  # IOPRIO_WHO_PROCESS of <linux/ioprio.h>
_UNLOCK_ALL = struct.pack("hhqqi4x", fcntl.F_UNLCK, os.SEEK_SET, 0, 0, 0)
"""A ``struct flock`` that unlocks the whole file."""
_libc = CDLL(None, use_errno=True)


class BoxChangedError(Exception):
    """A session changed the box that it shares with other sessions. No further answer from this box counts."""


class _OpenFile:
    """A regular file or a folder that the package opened at import, and its state at that time.

    Calls share its position, flags, locks and signal owner with the zygote, and its content if it is open for writing.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        self._position = os.lseek(descriptor, 0, os.SEEK_CUR)
        self._is_writable = bool(self._flags & os.O_ACCMODE)
        self._content = _content_of(descriptor) if self._is_writable else None
        self._facts = self._look()

    def restore(self) -> bool:
        """Undo what a call may have changed. False when that is not possible."""
        os.lseek(self._descriptor, self._position, os.SEEK_SET)
        fcntl.fcntl(self._descriptor, fcntl.F_SETFL, self._flags)
        _free(self._descriptor)
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
        """Values that change when the file is written to or truncated. Of its times only ``ctime`` cannot be set by a
        call.
        """
        facts = os.fstat(self._descriptor)
        return facts.st_size, stat.S_IMODE(facts.st_mode), facts.st_ctime_ns


_Look = Callable[[], object]


class Baseline:
    """The state of this process and of ``work_folder`` at construction. Make it as the last step before the first
    call. No descriptor has the number ``beyond_descriptors`` or a higher one.
    """

    def __init__(self, work_folder: str, beyond_descriptors: int = 1024) -> None:
        files, pipes = _open_files(beyond_descriptors)
        limits, folders = limits_others_may_set(), _other_folders(work_folder)
        looks: dict[str, _Look | None] = {
            "the work folder": lambda: _facts_of(work_folder),
            "the resource limits": (lambda: [resource.getrlimit(limit) for limit in limits]) if limits else None,
            **_scheduling_others_may_set(),
            "the input and output priority": _settable_ioprio(),
            "an open file": (lambda: [file.restore() for file in files]) if files else None,
            "an open pipe or socket": _poll_of(pipes),
            "a folder outside the work folder": (
                (lambda: [(_facts_of(folder), os.listdir(folder)) for folder in folders]) if folders else None
            ),
        }
        self._looks = {name: look for name, look in looks.items() if look is not None}
        """What to compare after each call group: only what another process can change, since comparing everything takes
        long.
        """
        self._before = self._look()

    def find_change(self) -> str:
        """Describes the first difference for the operator; empty if there is none.

        Files that the package opened at import are restored instead of reported. Otherwise a package that logs to a
        file would need a new box after every call.
        """
        now = self._look()
        if now == self._before:
            return ""
        return ", ".join(name for name, old, new in zip(self._looks, self._before, now, strict=True) if old != new)

    def _look(self) -> list[object]:
        return [look() for look in self._looks.values()]


def limits_others_may_set() -> list[int]:
    """The limits of this process that another process of its user may set: all of them, or none if the engine's seccomp
    filter is in force.

    The filter lets a process set its own limits only with process number 0. So this tries to set a limit by its real
    process number, which is what another process would have to do.
    """
    pid = os.getpid()
    return [limit for limit in _LIMITS if _may_be_set(partial(resource.prlimit, pid, limit, resource.getrlimit(limit)))]


def _scheduling_others_may_set() -> dict[str, _Look | None]:
    """The scheduling settings of this process that another process of its user may set. See
    :func:`limits_others_may_set`.
    """
    pid = os.getpid()
    may_nice = _may_be_set(lambda: os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0)))
    may_move = _may_be_set(lambda: os.sched_setaffinity(pid, os.sched_getaffinity(0)))
    may_schedule = _may_be_set(lambda: os.sched_setscheduler(pid, os.sched_getscheduler(0), os.sched_getparam(0)))
    return {
        "the priority": partial(os.getpriority, os.PRIO_PROCESS, 0) if may_nice else None,
        "the processors": partial(os.sched_getaffinity, 0) if may_move else None,
        "the scheduling policy": partial(os.sched_getscheduler, 0) if may_schedule else None,
    }


def _may_be_set(set_as_it_is: _Look) -> bool:
    """Whether a value may be set to what it is already. The kernel always allows that, so a refusal comes from a
    filter.
    """
    try:
        set_as_it_is()
    except PermissionError:
        return False
    except OSError:  # another kernel, such as gVisor: nobody knows whether others may set it, so it is compared
        return True
    return True


def _settable_ioprio() -> _Look | None:
    """A function that reads this process's I/O priority; None where no other process can set it."""
    numbers = _IOPRIO_NUMBERS.get(platform.machine())
    if numbers is None:
        return None
    set_it, get_it = numbers
    now = int(_libc.syscall(get_it, _PROCESS, 0))
    # by its process number, as another process would have to
    if now < 0 or _libc.syscall(set_it, _PROCESS, os.getpid(), now) < 0:
        return None
    return lambda: int(_libc.syscall(get_it, _PROCESS, 0))


def _other_folders(work_folder: str) -> list[str]:
    """Folders outside the work folder in which this process may create a file. Landlock leaves none.

    Only where this process is PID 1 of a box. On a shared machine other programs change these folders too.
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
    """Mode, owner and identity of ``folder``; empty if it cannot be read. Without its times, which wiping sets."""
    try:
        facts = os.stat(folder, follow_symlinks=False)
    except OSError:
        return ()
    return facts.st_mode, facts.st_uid, facts.st_gid, facts.st_ino, facts.st_dev


def _content_of(descriptor: int) -> bytes | None:
    """The content of a file; None if it is too large to keep or cannot be read."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return b""
    try:
        content = os.pread(descriptor, _LARGEST_KEPT_BYTES + 1, 0)
    except OSError:
        return None
    return content if len(content) == size <= _LARGEST_KEPT_BYTES else None


def _free(descriptor: int) -> None:
    """Remove every lock and the signal owner of an open file."""
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, 0)
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, 0)
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _UNLOCK_ALL)
    except OSError:  # gVisor of 2022 lacks these locks, and folders cannot have them
        pass


def _open_files(beyond: int) -> tuple[list[_OpenFile], list[int]]:
    """``(files and folders, other descriptors)`` that the package has open. Our own are left out: children close
    those.
    """
    files, pipes = [], []
    for descriptor in range(3, beyond):
        if FIRST_OF_OURS <= descriptor < BEYOND_OURS:
            continue
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
                files.append(_OpenFile(descriptor))
            else:
                pipes.append(descriptor)
        except OSError:  # nothing is open under that number
            continue
    return files, pipes


def _poll_of(descriptors: list[int]) -> _Look | None:
    """A function that reads the state of pipes, sockets and kernel objects; None if there are none.

    The state is: whether they can be read or written, their settings, and whether they hold data.
    """
    if not descriptors:
        return None
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN | select.POLLOUT | select.POLLHUP)
    nameless = [descriptor for descriptor in descriptors if not stat.S_IFMT(os.fstat(descriptor).st_mode)]
    return lambda: (
        sorted(poll.poll(0)),
        [(*_settings_of(descriptor), _held(descriptor)) for descriptor in descriptors],
        [_facts_of_nameless(descriptor) for descriptor in nameless],
    )


def _held(descriptor: int) -> object:
    """0 for an empty pipe or socket, otherwise a new object that equals nothing.

    A count of bytes would not do: a call could replace the data by as much of its own.
    """
    try:
        count = struct.unpack("i", fcntl.ioctl(descriptor, _FIONREAD, bytes(4)))[0]
    except OSError:  # this kind of descriptor has no count
        return 0
    return object() if count else 0


def _facts_of_nameless(descriptor: int) -> bytes:
    """The state of an eventfd, timerfd, epoll or inotify descriptor, as /proc shows it."""
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", "rb") as file:
            return file.read()
    except OSError:  # without /proc
        return b""


def _settings_of(descriptor: int) -> list[int]:
    """What a call could set on a pipe or socket: flags, signal owner, signal, and pipe size."""
    questions = (fcntl.F_GETFL, fcntl.F_GETOWN, fcntl.F_GETSIG, fcntl.F_GETPIPE_SZ)
    return [_answer(descriptor, question) for question in questions]


def _answer(descriptor: int, question: int) -> int:
    try:
        return fcntl.fcntl(descriptor, question)
    except OSError:  # a socket has no pipe size
        return -1
