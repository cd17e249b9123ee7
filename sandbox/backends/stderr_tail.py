"""Keeps the last few kilobytes that a guest writes to stderr, so that a flood of output costs nothing."""

import asyncio

_KEPT_BYTES = 4096  # chosen: the end of a traceback


class StderrTail:
    """Drains a stream and keeps its last few kilobytes."""

    def __init__(self) -> None:
        self._tail = b""

    def add(self, data: bytes) -> None:
        """More bytes of the stream."""
        self._tail = (self._tail + data)[-_KEPT_BYTES:]

    async def listen(self, stream: asyncio.StreamReader) -> None:
        """Read until the stream ends."""
        while data := await stream.read(65536):
            self.add(data)

    @property
    def text(self) -> str:
        """What is kept, as text."""
        return self._tail.decode(errors="replace").strip()
