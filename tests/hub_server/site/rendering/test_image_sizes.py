"""A picture of a few bytes takes no gigabytes of a reader's memory."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub_server.site.rendering.image_sizes import MOST_PIXELS, is_bounded, size_of
from tests.making.images import gif, jpeg, png, webp

MAKERS = {
    "png": ("image/png", png),
    "jpeg": ("image/jpeg", jpeg),
    "jpeg with a table before": ("image/jpeg", partial(jpeg, before=b"\xff\xdb\x00\x03\x00")),
    "gif": ("image/gif", gif),
    "webp": ("image/webp", webp),
    "lossless webp": ("image/webp", partial(webp, kind="VP8L")),
    "lossy webp": ("image/webp", partial(webp, kind="VP8 ")),
}
EVERY = pytest.mark.parametrize(("kind", "make"), MAKERS.values(), ids=MAKERS)


@EVERY
def test_its_size_is_read_off_its_head(kind, make) -> None:
    assert size_of(kind, make(640, 480)) == (640, 480)
    assert is_bounded(kind, make(4000, 3000)), "a photo"


@EVERY
def test_what_would_take_gigabytes_is_refused(kind, make) -> None:
    assert not is_bounded(kind, make(16_000, 16_000))
    assert not is_bounded(kind, make(MOST_PIXELS // 4000, 4001))


@EVERY
def test_what_ends_early_or_is_something_else_has_no_size(kind, make) -> None:
    whole = make(640, 480)
    assert [size_of(kind, whole[:length]) for length in range(16)] == [None] * 16
    assert not is_bounded(kind, whole[:12] + b"\x00" * 30)


def test_a_frame_larger_than_its_screen_counts() -> None:
    assert not is_bounded("image/gif", gif(2, 2, frame=(60_000, 60_000)))


@pytest.mark.parametrize(
    "before", [b"\x00\x00\xff\xff", b"\xff\xd9", b"\xff\xe1\x00\x00", b"\xff\xe1\xff\xff", b"\xff\xff\xff\xff"]
)
def test_a_jpeg_that_may_be_read_in_two_ways_is_refused(before: bytes) -> None:
    assert not is_bounded("image/jpeg", jpeg(2, 2, before=before))


@pytest.mark.parametrize(
    "mark", [b"\xff\xff\xe1\x00", b"\xff\xff\xff\xe1", b"\xff\xd0\xff\xe1", b"\xff\xd7\xff\xe1", b"\xff\x01\xff\xe1",
             b"\xff\xd8\xff\xe1", b"\xff\xde\xff\xe1", b"\xff\xf0\xff\xe1"],
)  # fmt: skip
def test_a_jpeg_hides_no_large_frame_behind_a_mark_without_a_length(mark: bytes) -> None:
    """Chromium showed 6,000 x 6,000 pixels where 2 x 2 were read: it goes on behind the mark, and we took a length."""
    length = int.from_bytes(mark[2:4])
    large = jpeg(60_000, 60_000)[20:]
    content = jpeg()[:20] + mark + (b"\x02" if mark[1] == 0xFF else b"\x00\x02") + large
    content += bytes(20 + 2 + length - len(content)) + jpeg()[20:]
    assert not is_bounded("image/jpeg", content)


@pytest.mark.parametrize("extension", [b"!\xf9\x01\x00\x00", b"!\xff\x02ab\x00", b"!\x77\x01\x00\x00", b"!\x01\x00"])
def test_a_gif_whose_extension_has_another_length_than_browsers_take_is_refused(extension: bytes) -> None:
    whole = gif()
    assert not is_bounded("image/gif", whole[:19] + extension + whole[19:])
    assert is_bounded("image/gif", whole[:19] + b"!\xfe\x02ab\x00!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00" + whole[19:])


@EVERY
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_mutated_files_raise_nothing_and_are_left_in_bounded_steps(kind, make, data) -> None:
    whole = bytearray(make(640, 480))
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=6)):
        whole[place] = data.draw(st.integers(0, 255))
    tail = data.draw(st.binary(max_size=64)) * data.draw(st.sampled_from((0, 1, 5000)))
    size = size_of(kind, bytes(whole) + tail)
    assert size is None or all(0 <= side < 2**32 for side in size)


@pytest.mark.parametrize("size", [(0, 5), (5, 0)])
def test_no_pixels_is_no_picture(size: tuple[int, int]) -> None:
    assert not is_bounded("image/png", png(*size))


def test_a_head_without_end_is_left() -> None:
    assert size_of("image/jpeg", b"\xff\xd8" + b"\xff\xe0\x00\x02" * 400_000) is None
    assert size_of("image/gif", gif()[:19] + b"!\xfe\x01\x00\x00" * 400_000) is None
