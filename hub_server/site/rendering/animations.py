"""How often a browser draws a picture of strangers, read off its parts: two megabytes may be 100,000 frames.

Each frame is decoded and drawn again at every turn, for as long as the page is open. Whatever is not read without doubt
counts as no picture: a browser might find more frames than we do.
"""

from collections.abc import Callable, Mapping
from itertools import repeat
from struct import error as StructError  # noqa: N812 -- an error of the standard library with a small name
from struct import unpack_from

from hub_server.site.rendering.image_sizes import is_extension, size_of

MOST_PIXELS_OF_A_FRAME = 2_500_000  # chosen: a screen of 1920 x 1200 has 2.3 million
MOST_PIXELS_OF_ALL = 1_000_000_000  # chosen: a minute of 1280 x 720 at 15 frames a second has 830 million
_MOST_PARTS = 50_000
"""Of a file. Written by any encoder, two megabytes have 8,000."""
_GIF_HEAD, _TABLE, _TABLE_SIZE = 13, 0x80, 7
_WEBP_ANIMATED = 0x02


def is_calm(kind: str, content: bytes) -> bool:
    """Whether a page may show a picture of one of the four kinds. Each frame is counted as large as the whole."""
    try:
        frames = _FRAMES[kind](content)
    except (StructError, IndexError, _LostError):
        return False
    width, height = size_of(kind, content) or (0, 0)
    pixels = width * height
    return frames == 1 or (pixels <= MOST_PIXELS_OF_A_FRAME and frames * pixels <= MOST_PIXELS_OF_ALL)


class _LostError(ValueError):
    """What comes next is none of the parts that we know, or there are too many."""


def _one(_content: bytes) -> int:
    return 1


def _gif(content: bytes) -> int:
    """Image blocks up to the trailer. Where the file ends before it, browsers show what they have."""
    at = _GIF_HEAD + _table(content[10])
    frames = parts = 0
    while at < len(content) and content[at] != ord(";"):
        if content[at] == ord("!"):
            if at + 2 < len(content) and not is_extension(content[at + 1], content[at + 2]):
                raise _LostError
            at += 2
        elif content[at] == ord(","):
            frames += 1
            if at + 10 > len(content):
                break
            at += 11 + _table(content[at + 9])
        else:
            raise _LostError
        while at < len(content) and (length := content[at]):
            at += 1 + length
            parts += 1
            if parts > _MOST_PARTS:
                raise _LostError
        at += 1
        parts += 1
    return max(frames, 1)


def _table(flags: int) -> int:
    """Bytes of a colour table."""
    return 3 << (1 + (flags & _TABLE_SIZE)) if flags & _TABLE else 0


def _png(content: bytes) -> int:
    """1, or the frames of an animated one (APNG), which says so before its first pixels."""
    at, frames, is_animated = 8, 0, False
    for _ in repeat(None, _MOST_PARTS):
        if at + 8 > len(content):
            return frames if is_animated and frames else 1
        length, name = unpack_from(">I4s", content, at)
        if name == b"acTL":
            is_animated = True
        elif name == b"fcTL":
            frames += 1
        elif name == b"IDAT" and not is_animated:
            return 1
        at += 12 + length
    raise _LostError


def _webp(content: bytes) -> int:
    """Every place where a frame may begin. Browsers go on behind the pixels of one, whatever length it gives itself."""
    if content[12:16] != b"VP8X" or not content[20] & _WEBP_ANIMATED:
        return 1
    frames = content.count(b"ANMF")
    if frames > _MOST_PARTS:
        raise _LostError
    return max(frames, 1)


_FRAMES: Mapping[str, Callable[[bytes], int]] = {
    "image/png": _png,
    "image/jpeg": _one,
    "image/gif": _gif,
    "image/webp": _webp,
}
