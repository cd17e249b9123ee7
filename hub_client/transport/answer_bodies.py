"""Reads bodies of answers up to a limit for each kind, and splits lines at newlines."""

from collections.abc import AsyncIterator, Iterable, Iterator

JSON_BYTES = 32 * 2**20  # chosen, not measured
ERROR_BYTES = 64 * 2**10  # chosen, not measured
LINE_BYTES = 16 * 2**20  # chosen, not measured


class TooLongError(Exception):
    """The server sent more bytes than an answer of this kind may have."""

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"{what} is longer than the {limit} bytes that are allowed")


def bounded(pieces: Iterable[bytes], what: str, limit: int) -> Iterator[bytes]:
    """``pieces`` as they come. Raises :class:`TooLongError` before any byte over ``limit`` is passed on."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            raise TooLongError(what, limit)
        yield piece


def beginning(pieces: Iterable[bytes], limit: int) -> bytes:
    """The first ``limit`` bytes. That is enough of an error message, whatever its length."""
    kept = bytearray()
    for piece in pieces:
        kept += piece
        if len(kept) >= limit:
            break
    return bytes(kept[:limit])


async def bounded_async(pieces: AsyncIterator[bytes], what: str, limit: int) -> AsyncIterator[bytes]:
    """:func:`bounded` for asyncio."""
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size > limit:
            raise TooLongError(what, limit)
        yield piece


async def beginning_async(pieces: AsyncIterator[bytes], limit: int) -> bytes:
    """:func:`beginning` for asyncio."""
    kept = bytearray()
    async for piece in pieces:
        kept += piece
        if len(kept) >= limit:
            break
    return bytes(kept[:limit])


class Lines:
    """Splits bytes at newlines and nowhere else: U+2028 and its like are part of a JSON string.

    Raises :class:`TooLongError` for a line over ``limit`` bytes, before it is complete.
    """

    def __init__(self, limit: int = LINE_BYTES) -> None:
        self._limit = limit
        self._held = bytearray()

    def feed(self, piece: bytes) -> list[bytes]:
        """The lines that ``piece`` completes, without empty ones."""
        *ends, rest = piece.split(b"\n")
        found = []
        for end in ends:
            self._hold(end)
            found.append(self.end())
        self._hold(rest)
        return [line for line in found if line.strip()]

    def end(self) -> bytes:
        """What came since the last newline."""
        line = bytes(self._held)
        self._held.clear()
        return line

    def _hold(self, part: bytes) -> None:
        if len(self._held) + len(part) > self._limit:
            raise TooLongError("a line", self._limit)
        self._held += part


def split_lines(pieces: Iterable[bytes], limit: int = LINE_BYTES) -> Iterator[bytes]:
    """Every line that is not empty; a last one without a newline too."""
    lines = Lines(limit)
    for piece in pieces:
        yield from lines.feed(piece)
    if (rest := lines.end()).strip():
        yield rest


async def split_lines_async(pieces: AsyncIterator[bytes], limit: int = LINE_BYTES) -> AsyncIterator[bytes]:
    """:func:`split_lines` for asyncio."""
    lines = Lines(limit)
    async for piece in pieces:
        for line in lines.feed(piece):
            yield line
    if (rest := lines.end()).strip():
        yield rest
