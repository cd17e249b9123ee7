"""Heads of images of any size: what a browser reads before it makes room for the pixels."""

from struct import pack


def png(width: int = 2, height: int = 2) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x06" + b"\x00" * 7


def jpeg(width: int = 2, height: int = 2, before: bytes = b"") -> bytes:
    """``before``: what stands before the frame's head, behind the usual first part."""
    frame = b"\xff\xc0" + pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    return b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + b"\x00" * 9 + before + frame + b"\xff\xda"


def gif(width: int = 2, height: int = 2, frame: tuple[int, int] = (2, 2)) -> bytes:
    head = b"GIF89a" + pack("<HHBBB", width, height, 0x80, 0, 0) + b"\x00" * 6
    return head + b"!\xf9\x04\x00\x00\x00\x00\x00" + b"," + pack("<HHHHB", 0, 0, *frame, 0)


def webp(width: int = 2, height: int = 2, kind: str = "VP8X") -> bytes:
    body = {
        "VP8X": b"\x00" * 4 + pack("<I", width - 1)[:3] + pack("<I", height - 1)[:3],
        "VP8L": b"\x2f" + pack("<I", (width - 1) | (height - 1) << 14),
        "VP8 ": b"\x00" * 3 + b"\x9d\x01\x2a" + pack("<HH", width, height),
    }[kind]
    return b"RIFF\x00\x00\x00\x00WEBP" + kind.encode() + pack("<I", len(body)) + body


def animated_gif(frames: int, width: int = 800, height: int = 600) -> bytes:
    """The least that a frame takes: an extension with its delay, and pixels of one block."""
    pixels = b"\x02\x02\x44\x01\x00"
    frame = b"!\xf9\x04\x00\x02\x00\x00\x00" + b"," + pack("<HHHHB", 0, 0, width, height, 0) + pixels
    return gif(width, height)[:19] + frame * frames + b";"


def animated_png(frames: int, width: int = 800, height: int = 600) -> bytes:
    def chunk(name: bytes, content: bytes) -> bytes:
        return pack(">I", len(content)) + name + content + b"\x00" * 4

    one = chunk(b"fcTL", b"\x00" * 26) + chunk(b"fdAT", b"\x00" * 5)
    return png(width, height) + chunk(b"acTL", pack(">II", frames, 0)) + chunk(b"IDAT", b"") + one * frames


def animated_webp(frames: int, width: int = 800, height: int = 600) -> bytes:
    head = webp(width, height)
    frame = b"ANMF" + pack("<I", 17) + b"\x00" * 18
    return head[:20] + b"\x02" + head[21:] + b"ANIM" + pack("<I", 6) + b"\x00" * 6 + frame * frames
