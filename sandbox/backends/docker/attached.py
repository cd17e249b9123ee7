"""A container's attached streams: one socket, on which the engine multiplexes standard output and standard error."""

import contextlib
import select
import socket
import struct
import time
from typing import Any

from sandbox.images.errors import ImageEngineError

_STREAM_HEADER = struct.Struct(">BxxxI")  # the engine's multiplexing: 1 = stdout, 2 = stderr; then a length
STDOUT = 1
_MOST_OUTPUT, _KEPT_WORDS = 1 << 30, 1 << 16


class Attached:
    """An attached stream. ``raw`` is the connected socket; the response object keeps it alive."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self.raw: socket.socket = getattr(response, "_sock", response)

    def close(self) -> None:
        """Close the connection. A guest whose stdin this was sees end of file."""
        with contextlib.suppress(OSError):
            self.raw.shutdown(socket.SHUT_RDWR)
        self.forget()

    def forget(self) -> None:
        """Release the socket, which an event loop may have closed already."""
        self._response.close()
        self.raw.close()


class StreamCutter:
    """Separates the engine's multiplexed stdout and stderr."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """``(stream, bytes)`` for every complete piece."""
        buffer = self._buffer
        buffer += data
        pieces = []
        position, end = 0, len(buffer)
        while end - position >= _STREAM_HEADER.size:
            stream, length = _STREAM_HEADER.unpack_from(buffer, position)
            start = position + _STREAM_HEADER.size
            if end - start < length:
                break
            position = start + length
            pieces.append((stream, bytes(buffer[start:position])))
        del buffer[:position]
        return pieces


def read_all(raw: socket.socket, deadline: float) -> tuple[bytes, bytes]:
    """Read both streams to their end. Raises ImageEngineError at ``deadline``, and when the connection breaks."""
    cutter, output, words = StreamCutter(), bytearray(), bytearray()
    while True:
        ready, _, _ = select.select([raw], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise ImageEngineError("a step of making an image took too long and was ended")
        try:
            data = raw.recv(1 << 20)
        except OSError as error:
            raise ImageEngineError(f"the line to a step of making an image broke: {error}") from error
        if not data:
            return bytes(output), bytes(words)
        for stream, piece in cutter.feed(data):
            (output if stream == STDOUT else words).extend(piece)
        del words[:-_KEPT_WORDS]
        if len(output) > _MOST_OUTPUT:
            raise ImageEngineError(f"a step of making an image gave more than {_MOST_OUTPUT >> 20} MB and was ended")
