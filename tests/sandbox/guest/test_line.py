"""The zygote's end of the line: whole frames or none, and nothing of an earlier call in a later child's memory."""

import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.guest import frames
from sandbox.guest import line as line_module
from sandbox.guest.line import (
    BEYOND_OURS,
    FIRST_OF_OURS,
    HostGoneError,
    Line,
    drop_lines,
    keep_numbers_free,
    line_descriptor,
)
from tests.making.altered_library import alter_library
from tests.sandbox.guest.forked import in_child

FRAMES = st.lists(st.tuples(st.integers(0, 255), st.integers(0, 2**64 - 1), st.binary(max_size=300)), max_size=6)


class Host:
    """The other end of a line, over two pipes."""

    def __init__(self) -> None:
        incoming, self.to_guest = os.pipe()
        self.from_guest, outgoing = os.pipe()
        self.line = Line(incoming, outgoing)

    def hang_up(self) -> None:
        os.close(self.to_guest)
        self.to_guest = -1

    def close(self) -> None:
        for descriptor in (self.to_guest, self.from_guest, self.line.incoming, self.line.outgoing):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.close()


# -- frames ----------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(FRAMES, st.integers(1, 40))
def test_frames_are_read_whole_however_few_bytes_come_at_a_time(
    sent: list[tuple[int, int, bytes]], at_a_time: int
) -> None:
    host, read, readv = Host(), os.read, os.readv
    line = host.line
    os.write(host.to_guest, b"".join(frames.pack(*frame) for frame in sent))
    got = []
    with pytest.MonkeyPatch.context() as patched:
        alter_library(
            patched,
            line_module,
            "os",
            read=lambda descriptor, count: read(descriptor, min(count, at_a_time)),
            readv=lambda descriptor, into: readv(descriptor, [into[0][:at_a_time]]),
        )
        for _ in sent:
            kind, ident, length = line.read_frame()
            got.append((kind, ident, bytes(line.request[:length])))
    host.close()
    assert got == sent


@settings(max_examples=40)
@given(st.binary(max_size=40), st.data())
def test_a_line_that_ends_inside_a_frame_is_a_host_that_is_gone(payload: bytes, data: st.DataObject) -> None:
    frame = frames.pack(frames.RUN, 7, payload)
    host = Host()
    os.write(host.to_guest, frame[: data.draw(st.integers(0, len(frame) - 1))])
    host.hang_up()
    with pytest.raises(HostGoneError, match="end of input"):
        host.line.read_frame()
    host.close()


def test_a_length_that_no_host_sends_is_refused_before_anything_is_read(host: Host) -> None:
    os.write(host.to_guest, frames.HEADER.pack(frames.MAX_FRAME_BYTES + 1, frames.RUN, 1) + b"x")
    with pytest.raises(HostGoneError, match=str(frames.MAX_FRAME_BYTES + 1)):
        host.line.read_frame()


@settings(max_examples=40)
@given(FRAMES, st.integers(1, 40))
def test_frames_are_written_whole_however_few_bytes_the_kernel_takes(
    sent: list[tuple[int, int, bytes]], at_a_time: int
) -> None:
    host, write = Host(), os.write

    def writev(descriptor: int, parts: list[bytes]) -> int:
        return write(descriptor, b"".join(map(bytes, parts))[:at_a_time])

    with pytest.MonkeyPatch.context() as patched:
        written = {"write": lambda descriptor, data: write(descriptor, bytes(data)[:at_a_time]), "writev": writev}
        alter_library(patched, line_module, "os", **written)
        for kind, ident, payload in sent:
            host.line.write(kind, ident, payload)
            host.line.write_two(kind, memoryview(payload), frames.DONE, b"outcome", ident)
    data = os.read(host.from_guest, 1 << 16) if sent else b""
    host.close()
    pairs = [((kind, ident, payload),) * 2 + ((frames.DONE, ident, b"outcome"),) for kind, ident, payload in sent]
    assert list(frames.FrameReader().feed(data)) == [frame for three in pairs for frame in three]


# -- what is left in memory ------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.sampled_from([0, 1, 65_535, 65_536, 65_537, 200_000]) | st.integers(1, 100_000))
def test_nothing_of_a_request_or_a_reply_stays_in_the_buffers(length: int) -> None:
    ours, theirs = socket.socketpair()
    line = Line(theirs.fileno(), theirs.fileno())
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    ours.sendall(frames.pack(frames.RUN, 1, b"\xaa" * length)[: 150_000 + frames.HEADER.size])
    if length > 150_000:
        ours.close()  # the host goes away in the middle: what came so far goes too
        with pytest.raises(HostGoneError):
            line.read_frame()
    else:
        line.read_frame()
        assert line.request[:length] == b"\xaa" * length
    line.relay[:length] = b"\xbb" * length
    line.relayed(length)
    line.relayed(min(length, 3))  # a shorter message after it does not make the zygote forget the longer one
    line.forget_request()
    line.forget_relay()
    assert line.request[: length + 9] == bytes(length + 9)
    assert line.relay[: length + 9] == bytes(length + 9)
    ours.close()
    theirs.close()


def test_a_frame_finds_nothing_of_the_longer_one_before_it(host: Host) -> None:
    os.write(host.to_guest, frames.pack(frames.RUN, 1, b"a secret answer") + frames.pack(frames.RUN, 2, b"x"))
    host.line.read_frame()
    host.line.read_frame()
    assert host.line.request[:20] == b"x" + bytes(19)


# -- descriptors -----------------------------------------------------------------------------------------------------


def _open_among_ours() -> list[int]:
    found = []
    for number in range(FIRST_OF_OURS - 2, BEYOND_OURS + 2):
        try:
            fcntl.fcntl(number, fcntl.F_GETFD)
        except OSError:
            continue
        found.append(number)
    return found


@pytest.mark.parametrize("kept", [3, FIRST_OF_OURS, 50, BEYOND_OURS - 1, BEYOND_OURS])
def test_a_child_keeps_its_own_line_and_no_other(kept: int) -> None:
    def body() -> list[int]:
        for number in range(FIRST_OF_OURS - 2, BEYOND_OURS + 2):
            os.dup2(0, number)
        os.dup2(0, kept)
        drop_lines(but=kept)
        return _open_among_ours()

    beside = [FIRST_OF_OURS - 2, FIRST_OF_OURS - 1, BEYOND_OURS, BEYOND_OURS + 1]
    assert in_child(body) == sorted({*beside, kept} - {3})


def test_files_of_a_package_get_no_number_of_a_line() -> None:
    def body() -> dict[str, list[int]]:
        os.closerange(3, 256)
        lines = [line_descriptor(0) for _ in range(3)]
        free = keep_numbers_free()
        files = [os.open(os.devnull, os.O_RDONLY) for _ in range(60)]
        for number in free:
            os.close(number)
        drop_lines(but=3)
        for number in files:
            os.fstat(number)
        return {"lines": lines, "left": _open_among_ours()}

    found = in_child(body)
    assert found["lines"] == [40, 41, 42]
    assert not [number for number in found["left"] if FIRST_OF_OURS <= number < BEYOND_OURS]


def test_a_line_is_not_inherited_by_programs() -> None:
    def body() -> list[bool]:
        return [os.get_inheritable(number) for number in (line_descriptor(0), *keep_numbers_free())]

    assert not any(in_child(body))


# -- the socket ------------------------------------------------------------------------------------------------------


def test_a_host_is_reached_by_its_socket(tmp_path: Path, host: Host) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "host"))
        listening.listen()
        streams = host.line.incoming, host.line.outgoing
        host.line.go_through(str(tmp_path / "host"))
        accepted, _ = listening.accept()
        host.line.write(frames.READY, 0, b"{}")
        assert accepted.recv(100) == frames.pack(frames.READY, 0, b"{}")
        accepted.close()
        assert host.line.incoming == host.line.outgoing >= FIRST_OF_OURS
        os.close(host.line.incoming)
        host.line.incoming, host.line.outgoing = streams


def test_without_that_socket_the_streams_stay(tmp_path: Path, host: Host) -> None:
    streams = host.line.incoming, host.line.outgoing
    for path in (tmp_path / "nothing", tmp_path, tmp_path / ("n" * 200)):
        host.line.go_through(str(path))
        assert (host.line.incoming, host.line.outgoing) == streams
