"""The standard streams of a solution: unnamed files, and Python's objects for them."""

import errno
import fcntl
import os
from typing import Literal, TextIO

RESULT_DESCRIPTOR = 3
"""The descriptor to which a solution's process writes the results of its calls."""
_NO_UNNAMED_FILES = (errno.EISDIR, errno.ENOENT, errno.EOPNOTSUPP, errno.EINVAL)

StandardStreams = tuple[TextIO, TextIO, TextIO]


class Streams:
    """Descriptors of unnamed files in the work folder's file system, whose size limit therefore applies to them."""

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
    """Duplicate a descriptor to a number above 3."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 16)


def first_bytes(file: int, most: int) -> bytes:
    """The first ``most`` bytes of the file. Exactly so much is requested, since ``read`` allocates what is
    requested.
    """
    return os.pread(file, min(os.fstat(file).st_size, most), 0)


def standard_streams() -> StandardStreams:
    """The text streams of a program, for descriptors that will be replaced by files later.

    A text stream checks at construction whether its file can seek. The later files can, so it is made on one that can.
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
