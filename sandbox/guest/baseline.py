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

_LIMITS = range(16)  # every number that Linux has: those without a name in Python could hold a note to the next call
_HIGHEST_DESCRIPTOR = 1024
_FIONREAD = 0x541B  # on every machine that we run on; the module that names it would be imported for this alone
_LARGEST_KEPT_BYTES = 1 << 20
_OTHER_FOLDERS = ("/dev/mqueue", "/dev/shm", "/var/tmp", "/run/lock")
_IOPRIO_NUMBERS = {"x86_64": (251, 252), "aarch64": (30, 31)}  # ioprio_set and ioprio_get, which Python does not have
_PROCESS = 1
_UNLOCK_ALL = struct.pack("hhqqi4x", fcntl.F_UNLCK, os.SEEK_SET, 0, 0, 0)
"""``struct flock``: from the beginning to the end, however far."""
_libc = CDLL(None, use_errno=True)


class BoxChangedError(Exception):
    """A session changed the box in which other sessions live, so no further answer from this box counts."""


class _OpenFile:
    """A regular file or a folder that the package opened when it was imported, as it was then.

    Calls share it with the zygote: its position, its flags, its locks, who gets its signals, and its content where it
    is open for writing.
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
        """These differ once the file was written to or cut. ``ctime`` cannot be set, unlike the other times."""
        facts = os.fstat(self._descriptor)
        return facts.st_size, stat.S_IMODE(facts.st_mode), facts.st_ctime_ns


_Look = Callable[[], object]


class Baseline:
    """The state of this process and of ``work_folder``, taken when it is made: last, before the first call."""

    def __init__(self, work_folder: str) -> None:
        files, pipes = _open_files()
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
        """Only what another process can change: comparing everything would take most of the time."""
        self._before = self._look()

    def find_change(self) -> str:
        """What differs now, in words for the operator; empty when nothing does.

        Files that the package opened at import are put back to what they were: a log that each call writes to is not
        a reason to replace the box each time.
        """
        now = self._look()
        if now == self._before:
            return ""
        return ", ".join(name for name, old, new in zip(self._looks, self._before, now, strict=True) if old != new)

    def _look(self) -> list[object]:
        return [look() for look in self._looks.values()]


def limits_others_may_set() -> list[int]:
    """The limits of this process that another process of its user may set: all, or none behind the engine's filter.

    The filter lets a process set only its own limits, and only without naming itself by its number. So whoever may
    set a limit of this process may set it by that number.
    """
    pid = os.getpid()
    return [limit for limit in _LIMITS if _may_be_set(partial(resource.prlimit, pid, limit, resource.getrlimit(limit)))]


def _scheduling_others_may_set() -> dict[str, _Look | None]:
    """How this process is scheduled, as far as another process of its user may set it, as for its limits."""
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
    """False when a filter refuses it: the kernel alone lets a process keep what it has."""
    try:
        set_as_it_is()
    except PermissionError:
        return False
    except OSError:  # a kernel of another make: whether others may is not known, so it is looked at
        return True
    return True


def _settable_ioprio() -> _Look | None:
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


def _free(descriptor: int) -> None:
    """Take every lock off an open file, and give its signals to nobody."""
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, 0)
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, 0)
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _UNLOCK_ALL)
    except OSError:  # gVisor of 2022 has no such locks, and folders take none
        pass


def _open_files() -> tuple[list[_OpenFile], list[int]]:
    """The files and folders that are open here, and the numbers of what can be polled. Children drop ours."""
    files, pipes = [], []
    for descriptor in range(3, _HIGHEST_DESCRIPTOR):
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
    """Asks whether anything can be read from, or written to, these, for their flags and for what they hold; None where
    there are none.
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
    """Differs each time where a pipe or socket holds something: as much of something else would look the same."""
    try:
        count = struct.unpack("i", fcntl.ioctl(descriptor, _FIONREAD, bytes(4)))[0]
    except OSError:  # it counts no bytes
        return 0
    return object() if count else 0


def _facts_of_nameless(descriptor: int) -> bytes:
    """What the kernel says of a counter, timer, poll set or watch: its number, time, members and places."""
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", "rb") as file:
            return file.read()
    except OSError:  # without /proc
        return b""


def _settings_of(descriptor: int) -> list[int]:
    """What a call could set on a pipe or socket: flags, who gets its signals and which, how much it holds."""
    questions = (fcntl.F_GETFL, fcntl.F_GETOWN, fcntl.F_GETSIG, fcntl.F_GETPIPE_SZ)
    return [_answer(descriptor, question) for question in questions]


def _answer(descriptor: int, question: int) -> int:
    try:
        return fcntl.fcntl(descriptor, question)
    except OSError:  # a socket holds no pipe
        return -1
