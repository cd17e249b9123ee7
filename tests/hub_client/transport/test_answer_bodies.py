"""No body is read past its limit, and lines end at newlines only."""

import pytest

from hub_client.transport.answer_bodies import Lines, TooLongError, beginning, bounded, split_lines


def test_a_body_of_exactly_the_limit_passes_and_one_byte_more_does_not() -> None:
    assert b"".join(bounded([b"ab", b"cd"], "it", 4)) == b"abcd"
    with pytest.raises(TooLongError, match="it is longer than the 3 bytes"):
        list(bounded([b"ab", b"cd"], "it", 3))


def test_nothing_is_read_after_the_limit_is_passed() -> None:
    pieces = iter([b"abc", b"def", b"never read"])
    assert beginning(pieces, 4) == b"abcd"
    assert next(pieces) == b"never read"


@pytest.mark.parametrize("cut", range(1, 8))
def test_lines_are_the_same_however_the_bytes_are_cut(cut: int) -> None:
    whole = "one\ntwo\u2028still two\u0085\n\n  \nlast".encode()
    pieces = [whole[start : start + cut] for start in range(0, len(whole), cut)]
    assert [line.decode() for line in split_lines(pieces)] == ["one", "two\u2028still two\u0085", "last"]


def test_a_line_that_never_ends_is_refused_before_it_is_complete() -> None:
    lines = Lines(limit=4)
    assert lines.feed(b"abcd\nab") == [b"abcd"]
    with pytest.raises(TooLongError, match="a line"):
        lines.feed(b"cde")
