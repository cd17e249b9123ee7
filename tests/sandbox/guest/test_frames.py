import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.guest import frames

FRAMES = st.lists(st.tuples(st.integers(0, 255), st.integers(0, 2**64 - 1), st.binary(max_size=300)), max_size=12)


@given(FRAMES, st.integers(1, 97))
def test_frames_survive_being_cut_anywhere(sent: list[tuple[int, int, bytes]], step: int) -> None:
    stream = b"".join(frames.pack(*frame) for frame in sent)
    reader = frames.FrameReader()
    got = [frame for start in range(0, len(stream), step) for frame in reader.feed(stream[start : start + step])]
    assert got == sent


def test_a_length_that_nobody_may_send_is_refused() -> None:
    reader = frames.FrameReader()
    with pytest.raises(frames.ProtocolError, match="4294967295"):
        list(reader.feed(frames.HEADER.pack(0xFFFFFFFF, frames.CHUNK, 1)))


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=40))
def test_a_run_frame_gives_back_its_calls(calls: list[bytes]) -> None:
    frame = frames.pack_run(7, frames.BATCH, 1500, calls)
    [(kind, ident, body)] = frames.FrameReader().feed(frame)
    level, timeout_ms, spans = frames.unpack_run(body)
    assert (kind, ident, level, timeout_ms) == (frames.RUN, 7, frames.BATCH, 1500)
    assert [body[start:end] for start, end in spans] == calls


def test_replies_are_cut_by_index_and_half_a_reply_is_seen() -> None:
    reader = frames.ReplyReader(2)
    stream = frames.REPLY.pack(2, 1, 30) + b"{}" + frames.REPLY.pack(4, 0, 5) + b"nu"
    assert list(reader.feed(stream)) == [(1, 30, b"{}")]
    assert not reader.is_empty
    assert list(reader.feed(b"ll")) == [(0, 5, b"null")]
    assert reader.is_empty


@pytest.mark.parametrize("header", [(frames.MAX_REPLY_BYTES + 1, 0, 0), (1, 2, 0)], ids=["too long", "another's index"])
def test_a_reply_that_lies_is_refused(header: tuple[int, int, int]) -> None:
    with pytest.raises(frames.ProtocolError):
        list(frames.ReplyReader(2).feed(frames.REPLY.pack(*header)))


payloads = st.binary(max_size=300)


@given(st.lists(payloads, max_size=6))
def test_any_bytes_are_frames_or_a_protocol_error(pieces: list[bytes]) -> None:
    reader = frames.FrameReader(limit=1000)
    try:
        for piece in pieces:
            for _, _, payload in reader.feed(piece):
                assert len(payload) <= 1000
    except frames.ProtocolError:
        pass


@given(st.lists(payloads, max_size=6), st.integers(0, 3))
def test_any_bytes_are_replies_or_a_protocol_error(pieces: list[bytes], count: int) -> None:
    reader = frames.ReplyReader(count)
    try:
        for piece in pieces:
            for index, _, reply in reader.feed(piece):
                assert index < count
                assert len(reply) <= frames.MAX_REPLY_BYTES
    except frames.ProtocolError:
        pass


@given(st.integers(0, 2), st.integers(1, 2**32 - 1), st.lists(payloads, max_size=8))
def test_a_group_of_calls_comes_out_as_it_went_in(level: int, timeout_ms: int, calls: list[bytes]) -> None:
    [(kind, ident, body)] = frames.FrameReader().feed(frames.pack_run(7, level, timeout_ms, calls))
    assert (kind, ident) == (frames.RUN, 7)
    found_level, found_timeout, spans = frames.unpack_run(body)
    assert (found_level, found_timeout) == (level, timeout_ms)
    assert [body[start:end] for start, end in spans] == calls


@given(st.binary(max_size=60))
def test_any_bytes_are_an_outcome_or_break_the_protocol(payload: bytes) -> None:
    try:
        status, *_ = frames.unpack_outcome(payload)
    except frames.ProtocolError:
        return
    assert frames.FINISHED <= status <= frames.BROKEN
