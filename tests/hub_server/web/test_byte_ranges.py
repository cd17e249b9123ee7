"""Every way to ask for a part: what it means, and what is answered with the whole."""

import pytest

from hub_server.web.byte_ranges import ByteRange, byte_range_of

TAG = '"sha256:abc"'


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1), ("bytes=0-9", 0, 10), ("bytes=0-999", 0, 10), ("bytes=3-", 3, 10), ("bytes=3-5", 3, 6),
        ("bytes=-1", 9, 10), ("bytes=-10", 0, 10), ("bytes=-999", 0, 10), ("BYTES=1-2", 1, 3), ("bytes= 1-2 ", 1, 3),
    ],
)  # fmt: skip
def test_a_part_is_found(asked: str, start: int, end: int) -> None:
    part = byte_range_of(asked, None, TAG, 10)
    assert part == ByteRange(start, end, 10)
    assert not part.is_empty
    assert part.header == f"bytes {start}-{end - 1}/10"


@pytest.mark.parametrize("asked", ["bytes=10-", "bytes=10-20", "bytes=999999999999999999-", "bytes=-0"])
def test_a_part_that_is_not_there_is_empty(asked: str) -> None:
    part = byte_range_of(asked, None, TAG, 10)
    assert part is not None
    assert part.is_empty
    assert part.header == "bytes */10"


@pytest.mark.parametrize(
    "asked",
    [None, "", "bytes", "bytes=", "bytes=-", "bytes=5-3", "bytes=0-1,3-4", "lines=0-1", "bytes=a-b", "bytes=0x1-2", "bytes=1-2-3", "bytes=--1",
     "bytes=" + "9" * 5000 + "-", "bytes=٣-٥", "bytes=+1-2", "bytes=1.0-2"],
)  # fmt: skip
def test_what_cannot_be_read_is_answered_with_the_whole(asked: str | None) -> None:
    assert byte_range_of(asked, None, TAG, 10) is None


def test_a_part_of_another_version_is_not_joined_to_this_one() -> None:
    for other in ('"sha256:other"', "Wed, 25 Nov 2026 12:00:00 GMT", f"W/{TAG}", ""):
        assert byte_range_of("bytes=1-2", other, TAG, 10) is None
    assert byte_range_of("bytes=1-2", TAG, TAG, 10) == ByteRange(1, 3, 10)


def test_an_empty_file_has_no_part() -> None:
    part = byte_range_of("bytes=0-", None, TAG, 0)
    assert part is not None
    assert part.is_empty
