"""The engine's two streams on one socket: cut anywhere, mixed anyhow, longer than anybody wants."""

import random
import socket
import struct
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.backends.docker import attached as module
from sandbox.backends.docker.attached import STDOUT, Attached, StreamCutter, read_all
from sandbox.images.errors import ImageEngineError

FAR_AWAY = 3600.0


def piece(stream: int, data: bytes) -> bytes:
    """As the engine writes it."""
    return struct.pack(">BxxxI", stream, len(data)) + data


@pytest.fixture
def line() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, engines = socket.socketpair()
    yield ours, engines
    ours.close()
    engines.close()


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=12), st.randoms())
def test_however_the_bytes_arrive_each_stream_is_whole(written: list[tuple[int, bytes]], chance: random.Random) -> None:
    data = b"".join(piece(stream, part) for stream, part in written)
    cutter, found = StreamCutter(), []
    while data:
        size = chance.randint(1, len(data))
        found += cutter.feed(data[:size])
        data = data[size:]
    assert found == written


def test_half_a_piece_is_not_given_away() -> None:
    cutter = StreamCutter()
    whole = piece(1, b"frame")
    assert cutter.feed(whole[:7]) == []
    assert cutter.feed(whole[7:-1]) == []
    assert cutter.feed(whole[-1:] + piece(2, b"")) == [(1, b"frame"), (2, b"")]


def test_all_that_was_said_is_read_to_the_end_and_the_streams_stay_apart(
    line: tuple[socket.socket, socket.socket],
) -> None:
    ours, engines = line
    engines.sendall(piece(STDOUT, b"one ") + piece(2, b"warning") + piece(STDOUT, b"two"))
    engines.close()
    assert read_all(ours, time.monotonic() + FAR_AWAY) == (b"one two", b"warning")


def test_a_line_that_ends_amid_a_piece_gives_what_was_whole(line: tuple[socket.socket, socket.socket]) -> None:
    ours, engines = line
    engines.sendall(piece(STDOUT, b"whole") + piece(STDOUT, b"cut off")[:-3])
    engines.close()
    assert read_all(ours, time.monotonic() + FAR_AWAY) == (b"whole", b"")


def test_what_says_nothing_until_its_deadline_is_ended(line: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(ImageEngineError, match="took too long"):
        read_all(line[0], time.monotonic() - 1)


def test_a_line_that_breaks_is_a_fault_of_the_host(line: tuple[socket.socket, socket.socket]) -> None:
    ours, engines = line
    ours.sendall(b"never read")
    engines.close()  # with bytes unread: the other side gets a reset
    with pytest.raises(ImageEngineError, match="the line to a step of making an image broke"):
        read_all(ours, time.monotonic() + FAR_AWAY)


def test_a_flood_of_output_is_ended_and_a_flood_of_words_is_forgotten(
    line: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_OUTPUT", 1000)
    monkeypatch.setattr(module, "_KEPT_WORDS", 10)
    ours, engines = line
    engines.sendall(piece(2, b"x" * 5000 + b"the last words") + piece(STDOUT, b"x" * 1001))
    engines.close()
    with pytest.raises(ImageEngineError, match="gave more than"):
        read_all(ours, time.monotonic() + FAR_AWAY)
    again, far = socket.socketpair()
    with again:
        far.sendall(piece(2, b"x" * 5000 + b"last words") + piece(STDOUT, b"x" * 1000))
        far.close()
        output, words = read_all(again, time.monotonic() + FAR_AWAY)
    assert (len(output), words) == (1000, b"last words")


def test_closing_ends_the_other_side_too_and_may_come_twice(line: tuple[socket.socket, socket.socket]) -> None:
    ours, engines = line
    attached = Attached(ours)
    attached.close()
    assert engines.recv(1) == b""
    attached.close()
    attached.forget()
