"""``Range`` requests for one part of a file's bytes (RFC 9110, section 14)."""

import re
from dataclasses import dataclass

_ONE = re.compile(r"bytes=[ \t]*(\d{0,18})-(\d{0,18})[ \t]*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class ByteRange:
    """The bytes from ``start`` up to and without ``end``, of ``size``. Empty: the file has no such part (416)."""

    start: int
    end: int
    size: int

    @property
    def is_empty(self) -> bool:
        return self.start >= self.end

    @property
    def header(self) -> str:
        """The value of ``Content-Range``."""
        return f"bytes */{self.size}" if self.is_empty else f"bytes {self.start}-{self.end - 1}/{self.size}"


def byte_range_of(asked: str | None, if_range: str | None, tag: str, size: int) -> ByteRange | None:
    """The part that a request asks for; None: all of it.

    ``asked``, ``if_range``: the headers. ``tag``: the file's strong ETag. Several parts at once, other units, and what
    cannot be read are answered with the whole file, as the standard allows. So is a part of what the reader has a
    different version of (``If-Range``): it would be joined to other bytes.
    """
    found = _ONE.fullmatch(asked or "")
    if found is None or (if_range is not None and if_range.strip() != tag):
        return None
    first, last = found.groups()
    if not first and not last:
        return None
    if not first:  # the last so many
        return ByteRange(max(0, size - int(last)), size, size)
    if last and int(last) < int(first):
        return None
    return ByteRange(int(first), min(size, int(last) + 1) if last else size, size)
