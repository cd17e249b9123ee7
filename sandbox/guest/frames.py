"""The framed protocol between host and guest, written once for both ends.

A frame is ``u32 payload length | u8 kind | u64 id | payload``, little endian. Only the zygote writes frame headers, so
code inside a call can neither forge an id nor answer for another call.
"""

import struct
from collections.abc import Iterator

HEADER = struct.Struct("<IBQ")
MAX_REQUEST_BYTES = 8 << 20  # chosen, not measured
MAX_REPLY_BYTES = 1 << 20  # chosen, not measured: the host holds one of each call
MAX_ASK_BYTES = 4 << 20  # one request for a solution
MAX_FRAME_BYTES = MAX_REQUEST_BYTES + 65536  # with the head and the lengths of a call group

# Host to guest.
START = 1  # JSON: what to import, limits, examples for the warm-up
RUN = 2  # RUN_HEAD, count x u32 lengths, the calls' JSON
SOLVED = 3  # JSON: what the solution box did; id = the call group that asked
OPEN = 4  # a session; JSON; id = the session
SEND = 5  # JSON request to a session
BRANCH = 6  # u64: id for the new session; id = the one that forks
CLOSE = 7  # end a session

# Guest to host.
READY = 32  # JSON: facts
FAILED = 33  # JSON {kind, message}: the package could not be loaded
CHUNK = 34  # bytes of a call group's reply stream: REPLY headers and JSON
ASK = 35  # one byte (1 = last part) and part of a request for a solution box
DONE = 36  # OUTCOME of a call group
SAID = 37  # one byte (1 = last part) and part of a session's reply
ENDED = 38  # OUTCOME of a session's process

# Levels of a RUN, weakest first.
WORKER, BATCH, CALL = 0, 1, 2

RUN_HEAD = struct.Struct("<BxHI")  # level, count, milliseconds a call
REPLY = struct.Struct("<III")  # JSON length, index of the call within its call group, microseconds it took
OUTCOME = struct.Struct("<BiIIIHB")  # status, detail, wall us, cpu us, max rss KB, leftover processes, stale
MOST_MICROSECONDS = (1 << 32) - 1
"""What fits into 32 bits, 71 minutes. A call that waits for solutions may take hours, and then says this."""
Outcome = tuple[int, int, int, int, int, int, int]
"""What :data:`OUTCOME` packs."""
SESSION_ID = struct.Struct("<Q")

# How a call group ended. FINISHED is the only one whose replies count.
FINISHED, TIMED_OUT, SIGNALLED, EXITED, FLOODED, OUT_OF_MEMORY, RETURNED, BROKEN = range(8)


class ProtocolError(Exception):
    """The other end does not speak this protocol, or sends contradictory data."""


def pack(kind: int, ident: int, payload: bytes = b"") -> bytes:
    """One frame."""
    return HEADER.pack(len(payload), kind, ident) + payload


def pack_run(ident: int, level: int, timeout_ms: int, calls: list[bytes]) -> bytes:
    """A RUN frame: ``calls`` are JSON texts; they run in order."""
    count = len(calls)
    lengths = struct.pack(f"<{count}I", *map(len, calls))
    body = b"".join((RUN_HEAD.pack(level, count, timeout_ms), lengths, *calls))
    return HEADER.pack(len(body), RUN, ident) + body


def unpack_run(body: bytes | bytearray | memoryview) -> tuple[int, int, list[tuple[int, int]]]:
    """``(level, timeout_ms, [(start, end) of each call])`` of a RUN payload."""
    level, count, timeout_ms = RUN_HEAD.unpack_from(body)
    lengths = struct.unpack_from(f"<{count}I", body, RUN_HEAD.size)
    spans = []
    position = RUN_HEAD.size + 4 * count
    for length in lengths:
        spans.append((position, position + length))
        position += length
    return level, timeout_ms, spans


def unpack_outcome(payload: bytes) -> Outcome:
    """How a call group or a session ended, as :data:`OUTCOME` says. Raises ProtocolError."""
    try:
        outcome: Outcome = OUTCOME.unpack(payload)
    except struct.error as error:
        raise ProtocolError(f"an outcome of {len(payload)} bytes") from error
    if not FINISHED <= outcome[0] <= BROKEN:
        raise ProtocolError(f"an outcome of kind {outcome[0]}")
    return outcome


class FrameReader:
    """Cuts a byte stream into frames. Raises :class:`ProtocolError` for a length that is not allowed."""

    def __init__(self, limit: int = MAX_FRAME_BYTES) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Yield ``(kind, id, payload)`` for every frame that ``data`` completes."""
        buffer = self._buffer
        buffer += data
        position, end = 0, len(buffer)
        try:
            while end - position >= HEADER.size:
                length, kind, ident = HEADER.unpack_from(buffer, position)
                if length > self._limit:
                    raise ProtocolError(f"a frame of {length} bytes; {self._limit} are allowed")
                start = position + HEADER.size
                if end - start < length:
                    break
                position = start + length
                yield kind, ident, bytes(buffer[start:position])
        finally:
            del buffer[:position]


class ReplyReader:
    """Cuts one call group's reply stream into ``(index, microseconds, JSON bytes)``."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._buffer = bytearray()

    @property
    def is_empty(self) -> bool:
        """True when no half reply is left over."""
        return not self._buffer

    def feed(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Yield the replies that ``data`` completes; a length or index that cannot be is a ProtocolError."""
        buffer = self._buffer
        buffer += data
        position, end = 0, len(buffer)
        try:
            while end - position >= REPLY.size:
                length, index, microseconds = REPLY.unpack_from(buffer, position)
                if length > MAX_REPLY_BYTES or index >= self._count:
                    raise ProtocolError(f"a reply of {length} bytes to call {index} of {self._count}")
                start = position + REPLY.size
                if end - start < length:
                    break
                position = start + length
                yield index, microseconds, bytes(buffer[start:position])
        finally:
            del buffer[:position]
