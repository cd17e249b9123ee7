"""How large a picture of strangers becomes in a browser's memory, read off its head: few bytes may stand for gigabytes.

Whatever is not read without doubt has no size: a browser might find another one than we do.
"""

from collections.abc import Callable, Mapping
from itertools import repeat
from struct import error as StructError  # noqa: N812 -- an error of the standard library with a small name
from struct import unpack_from

MOST_PIXELS = 16_000_000  # chosen: a photo of a telephone has 12 million; 4 bytes of memory each
_MOST_STEPS = 1000
"""Parts of a file that are passed before its size must have come."""
_SIZES_OF_JPEG = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_PASSED_IN_JPEG = {0xC4, 0xCC, 0xDB, 0xDD, *range(0xE0, 0xF0), 0xFE}
"""Tables, applications' parts and comments. Decoders pass others without a length (0xD0), or pad with 0xFF."""
_GIF_HEAD, _GIF_TABLE = 13, 0x80
_GIF_EXTENSIONS = {0x01: 12, 0xF9: 4, 0xFF: 11}
"""Label -> length of its first part: some browsers take so many bytes whatever is written. A comment has any."""

Size = tuple[int, int]


def size_of(kind: str, content: bytes) -> Size | None:
    """(width, height) in pixels of an image of one of the four kinds; None where it cannot be read."""
    try:
        return _SIZES[kind](content)
    except (StructError, IndexError):
        return None


def is_bounded(kind: str, content: bytes) -> bool:
    """Whether a page may show it."""
    size = size_of(kind, content)
    return size is not None and 0 < size[0] * size[1] <= MOST_PIXELS


def _png(content: bytes) -> Size | None:
    length, name, width, height = unpack_from(">I4sII", content, 8)
    return (width, height) if name == b"IHDR" and length == 13 else None


def _jpeg(content: bytes) -> Size | None:
    """Of the first frame's head."""
    at = 2
    for _ in repeat(None, _MOST_STEPS):
        sign, kind, length = unpack_from(">BBH", content, at)
        if sign == 0xFF and kind in _SIZES_OF_JPEG:
            height, width = unpack_from(">HH", content, at + 5)
            return width, height
        if sign != 0xFF or kind not in _PASSED_IN_JPEG or length < 2:
            return None
        at += 2 + length
    return None


def _gif(content: bytes) -> Size | None:
    """Of the screen, or of the first frame where that is larger."""
    width, height, flags = unpack_from("<HHB", content, 6)
    at = _GIF_HEAD + (3 << (1 + (flags & 7)) if flags & _GIF_TABLE else 0)
    for _ in repeat(None, _MOST_STEPS):
        if content[at : at + 1] == b",":
            left, top, wide, high = unpack_from("<HHHH", content, at + 1)
            return max(width, left + wide), max(height, top + high)
        label, length = content[at + 1], content[at + 2]
        if content[at : at + 1] != b"!" or not is_extension(label, length):
            return None
        at += 2
        for _ in repeat(None, _MOST_STEPS):
            length = content[at]
            at += 1 + length
            if length == 0:
                break
        else:
            return None
    return None


def is_extension(label: int, length: int) -> bool:
    """Whether every browser reads a GIF's extension of that label, with a first part of that length, alike."""
    return label == 0xFE or _GIF_EXTENSIONS.get(label) == length


def _webp(content: bytes) -> Size | None:
    kind = content[12:16]
    if kind == b"VP8X":
        wide, wider, high, higher = unpack_from("<HBHB", content, 24)
        return 1 + wide + (wider << 16), 1 + high + (higher << 16)
    if kind == b"VP8L":
        sign, bits = unpack_from("<BI", content, 20)
        return (1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)) if sign == 0x2F else None
    if kind == b"VP8 ":
        sign, width, height = unpack_from("<3sHH", content, 23)
        return (width & 0x3FFF, height & 0x3FFF) if sign == b"\x9d\x01\x2a" else None
    return None


_SIZES: Mapping[str, Callable[[bytes], Size | None]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
