"""What a solution reads and writes: files without names, and Python's objects for its standard streams."""

import errno
import fcntl
import os
from typing import Literal, TextIO

RESULT_DESCRIPTOR = 3
"""Where a solution's process writes what its calls return."""
_NO_UNNAMED_FILES = (errno.EISDIR, errno.ENOENT, errno.EOPNOTSUPP, errno.EINVAL)

StandardStreams = tuple[TextIO, TextIO, TextIO]


class Streams:
    """Descriptors of files without names, in the work folder's file system: its size limit is theirs too."""

    def __init__(self, stdin: str) -> None:
        self.stdin = _file_with(stdin.encode("utf-8", "surrogatepass")) if stdin else os.open(os.devnull, os.O_RDONLY)
        self.stdout, self.stderr, self.results = _unnamed_file(), _unnamed_file(), _unnamed_file()

    def install(self, keep: int) -> None:
        """Make them descriptors 0 to 3 of this process and close everything but ``keep``."""
        high = [moved_up(descriptor) for descriptor in (self.stdin, self.stdout, self.stderr, self.results)]
        for target, descriptor in enumerate(high):
            os.dup2(descriptor, target, inheritable=target != RESULT_DESCRIPTOR)
        os.closerange(RESULT_DESCRIPTOR + 1, keep)
        os.closerange(keep + 1, 1024)


def _unnamed_file() -> int:
    try:
        return os.open(".", os.O_TMPFILE | os.O_RDWR | os.O_EXCL, 0o600)
    except OSError as error:
        if error.errno not in _NO_UNNAMED_FILES:
            raise
    import tempfile  # noqa: PLC0415 -- file systems without them are rare (gVisor), and this import is large

    number, name = tempfile.mkstemp(dir=".")
    os.unlink(name)
    return number


def _file_with(data: bytes) -> int:
    number = _unnamed_file()
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(number, rest) :]
    os.lseek(number, 0, os.SEEK_SET)
    return number


def moved_up(descriptor: int) -> int:
    """Out of the way of descriptors 0 to 3."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 16)


def first_bytes(file: int, most: int) -> bytes:
    """What the file holds, ``most`` bytes at most. No more than that is asked for: room for it would be made first."""
    return os.pread(file, min(os.fstat(file).st_size, most), 0)


def standard_streams() -> StandardStreams:
    """What a program reads and writes by, once there are files under their numbers.

    Each notes when it is made whether it can be seeked, as those files can. So it is made of one that can.
    """
    return _standard_stream(0, "r"), _standard_stream(1, "w"), _standard_stream(2, "w")


def _standard_stream(number: int, mode: Literal["r", "w"]) -> TextIO:
    kept, null = os.dup(number), os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(null, number)
        return open(number, mode, encoding="utf-8", errors="replace", closefd=False)
    finally:
        os.dup2(kept, number)
        os.close(null)
        os.close(kept)
