"""A picture of a few bytes does not keep a reader's machine busy for as long as the page is open."""

import pytest

from hub_server.site.rendering.animations import MOST_PIXELS_OF_ALL, is_calm
from hub_server.site.rendering.readme_files import MOST_IMAGE_BYTES, image_type
from tests.making.images import animated_gif, animated_png, animated_webp, gif, png, webp

EVERY = pytest.mark.parametrize(
    ("suffix", "make"), [("gif", animated_gif), ("png", animated_png), ("webp", animated_webp)]
)


@EVERY
def test_a_demonstration_of_a_minute_is_shown(suffix, make) -> None:
    assert image_type(f"a.{suffix}", make(900, 1280, 720)) == f"image/{suffix}"


@EVERY
def test_frames_times_pixels_have_an_end(suffix, make) -> None:
    most = MOST_PIXELS_OF_ALL // (800 * 600)
    assert image_type(f"a.{suffix}", make(most)) == f"image/{suffix}"
    assert image_type(f"a.{suffix}", make(most + 1)) is None


@EVERY
def test_two_frames_of_a_large_photo_are_refused_and_one_is_shown(suffix, make) -> None:
    assert image_type(f"a.{suffix}", make(2, 4000, 3000)) is None
    assert image_type(f"a.{suffix}", make(1, 4000, 3000)) == f"image/{suffix}"


def test_a_frame_in_the_middle_of_what_is_cut_off_counts() -> None:
    most = MOST_PIXELS_OF_ALL // (800 * 600)
    assert not is_calm("image/gif", animated_gif(most + 1)[:-12])
    assert not is_calm("image/png", animated_png(most + 1)[:-12])
    assert not is_calm("image/webp", animated_webp(most + 1)[:-12])


def test_what_lies_behind_the_end_or_in_still_pictures_is_no_frame() -> None:
    frames = animated_gif(5000)[19:]
    assert is_calm("image/gif", animated_gif(2) + frames)
    assert is_calm("image/png", png(4000, 3000) + b"\x00\x00\x00\x00IDAT" + animated_png(9)[33:])
    assert is_calm("image/webp", webp(4000, 3000, "VP8L") + animated_webp(9)[30:])
    assert is_calm("image/gif", gif(4000, 3000))


FOUR_IN_ONE = (
    "52494646e400000057454250565038580a00000012000000030000030000414e494d06000000000000000000414e4d46800000000000000000"
    "00030000030000640000005650384c0f0000002f03c000000710fd8ffe0722a2ff0100414e4d4628000000000000000000030000030000640000"
    "005650384c0f0000002f03c000000710fd8ffe0722a2ff0100414e4d4628000000000000000000030000030000640000005650384c0f0000002f"
    "03c000000710fd8ffe0722a2ff0100414e4d4628000000000000000000030000030000640000005650384c0f0000002f03c000000710fd8ffe07"
    "22a2ff0100"
)
"""A WebP of four frames, the first of which says that it is as long as all: Chromium draws four."""


def test_a_frame_that_says_to_hold_all_others_hides_none_of_them() -> None:
    small = bytes.fromhex(FOUR_IN_ONE)
    size = small.index(b"VP8X") + 12
    large = small[:size] + (3999).to_bytes(3, "little") + (2999).to_bytes(3, "little") + small[size + 6 :]
    assert is_calm("image/webp", small)
    assert not is_calm("image/webp", large)
    most = MOST_PIXELS_OF_ALL // (800 * 600)
    long = bytearray(animated_webp(most + 1))
    at = long.index(b"ANMF") + 4
    long[at : at + 4] = len(long).to_bytes(4, "little")
    assert not is_calm("image/webp", bytes(long))


@pytest.mark.parametrize("stray", [b"\x00", b"x", b"!\x00\x01"])
def test_a_gif_in_which_we_are_lost_is_refused(stray: bytes) -> None:
    """A browser may find frames behind it."""
    assert not is_calm("image/gif", animated_gif(1, 4000, 3000)[:-1] + stray + animated_gif(2)[19:])


def test_no_file_of_that_size_holds_up_the_hub() -> None:
    """Of parts of one byte there would be a million."""
    head = gif(2, 2)[:19] + b"!\xfe"
    assert not is_calm("image/gif", head + b"\x01x" * ((MOST_IMAGE_BYTES - len(head)) // 2))
    parts = (MOST_IMAGE_BYTES - 33) // 12
    assert not is_calm("image/png", png(2, 2) + b"\x00\x00\x00\x00acTL\x00\x00\x00\x00" * parts)
    assert not is_calm("image/webp", animated_webp(50_001, 1, 1))
