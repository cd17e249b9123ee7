"""The zygote's end of the connection to the host. Frames pass through two fixed buffers, which are wiped after use.

The data of calls and replies never becomes a Python object in the zygote. Otherwise a later call, which is forked from
the zygote, could find data of an earlier call in its memory.
"""

import fcntl
import mmap
import os
import select
import socket

from sandbox.guest import frames

_RELAY_BYTES = 256 << 10  # more than any message of a child (`messages.PART_BYTES`)
# The zygote's connections have descriptors in this range, so that a child can close all of them in one step.
FIRST_OF_OURS, BEYOND_OURS = 40, 64
_ZEROS = bytes(64 << 10)


class HostGoneError(Exception):
    """The host closed the connection. The zygote then exits."""


def line_descriptor(descriptor: int) -> int:
    """Duplicate ``descriptor`` into the range that :func:`drop_lines` closes."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_OF_OURS)


def drop_lines(but: int) -> None:
    """In a child: close every connection of the zygote, except descriptor ``but`` if it is one of them."""
    os.closerange(FIRST_OF_OURS, max(but, FIRST_OF_OURS))
    os.closerange(max(but + 1, FIRST_OF_OURS), BEYOND_OURS)


def keep_numbers_free() -> list[int]:
    """Occupy the unused descriptors of that range, so that files which a package opens do not get them.

    Children would close such files. Close the returned descriptors after the import of the package.
    """
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    taken = [line_descriptor(null)]
    while taken[-1] < BEYOND_OURS:
        taken.append(line_descriptor(null))
    os.close(taken.pop())
    os.close(null)
    return taken


class Line:
    """``incoming`` and ``outgoing`` are descriptors that only the zygote has."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming = incoming
        self.outgoing = outgoing
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self._request = mmap.mmap(-1, frames.MAX_FRAME_BYTES, flags=flags)
        self._relay = mmap.mmap(-1, _RELAY_BYTES, flags=flags)
        self.request = memoryview(self._request)
        self.relay = memoryview(self._relay)
        self._request_used = 0
        self._relay_used = 0

    def go_through(self, path: str) -> None:
        """Switch to the Unix socket at ``path``, or keep the streams if it cannot be reached.

        The streams stay open: their end tells the host that this process has ended.
        """
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connecting:
            try:
                connecting.connect(path)
            except OSError:
                return
            self.incoming = self.outgoing = line_descriptor(connecting.fileno())

    def await_frame(self, seconds: float) -> None:
        """Wait until a frame begins. Raises HostGoneError when none does within so many seconds."""
        waiting = select.poll()
        waiting.register(self.incoming, select.POLLIN)
        if not waiting.poll(seconds * 1000):
            raise HostGoneError(f"no frame within {seconds:g} s")

    def read_frame(self) -> tuple[int, int, int]:
        """Wait for a frame. Returns ``(kind, id, length)``; the payload is in ``request[:length]``."""
        self.forget_request()
        header = self._read_exactly(frames.HEADER.size)
        length, kind, ident = frames.HEADER.unpack(header)
        if length > frames.MAX_FRAME_BYTES:
            raise HostGoneError(f"a frame of {length} bytes")
        self._request_used = length
        position = 0
        while position < length:
            count = os.readv(self.incoming, [self.request[position:length]])
            if count == 0:
                raise HostGoneError("end of input inside a frame")
            position += count
        return kind, ident, length

    def write(self, kind: int, ident: int, payload: bytes | memoryview = b"") -> None:
        """Send one frame; blocks while the host does not read."""
        header = frames.HEADER.pack(len(payload), kind, ident)
        sent = os.writev(self.outgoing, [header, payload])
        if sent < len(header) + len(payload):
            rest = memoryview(header + bytes(payload))[sent:]
            while rest:
                rest = rest[os.write(self.outgoing, rest) :]

    def write_two(self, kind: int, payload: memoryview, last_kind: int, last_payload: bytes, ident: int) -> None:
        """Send two frames with the same id in one write, so that the host wakes up once."""
        header = frames.HEADER.pack(len(payload), kind, ident)
        last = frames.HEADER.pack(len(last_payload), last_kind, ident) + last_payload
        sent = os.writev(self.outgoing, (header, payload, last))
        if sent < len(header) + len(payload) + len(last):
            rest = memoryview(header + bytes(payload) + last)[sent:]
            while rest:
                rest = rest[os.write(self.outgoing, rest) :]

    def relayed(self, count: int) -> memoryview:
        """The first ``count`` bytes of the relay buffer. They will be wiped by :meth:`forget_relay`."""
        self._relay_used = max(self._relay_used, count)
        return self.relay[:count]

    def forget_request(self) -> None:
        """Wipe the request buffer."""
        self._clear(self._request, self._request_used)
        self._request_used = 0

    def forget_relay(self) -> None:
        """Wipe the relay buffer."""
        self._clear(self._relay, self._relay_used)
        self._relay_used = 0

    @staticmethod
    def _clear(buffer: mmap.mmap, used: int) -> None:
        if used > len(_ZEROS):
            buffer.madvise(mmap.MADV_DONTNEED)
        elif used:
            buffer[:used] = _ZEROS[:used]

    def _read_exactly(self, count: int) -> bytes:
        data = os.read(self.incoming, count)
        while len(data) < count:
            more = os.read(self.incoming, count - len(data))
            if not more:
                raise HostGoneError("end of input")
            data += more
        return data
