"""The child's side of a group: whatever calls answer, the stream holds each answer once, in order, or has no end mark."""

import socket
import threading
from collections.abc import Iterator
from itertools import accumulate, chain, repeat
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sandbox.guest import call_loop, frames, solution
from sandbox.guest.messages import ASK, END, GROUP, PART_BYTES, PART_OF_ASK, PART_OF_GROUP, REPLIES, SOLVED

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = _pair()
    yield ours, theirs
    ours.close()
    theirs.close()


def _pair() -> Pair:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _replies_of_a_group(line: socket.socket) -> bytes:
    """Up to the end mark; replies that took long, or waited for a processor, come in a message before it."""
    gathered = b""
    while True:
        message = line.recv(1 << 20)
        gathered += message[1:]
        if message[0] == END:
            return gathered
        assert message[0] == REPLIES


def _messages_of(replies: list[bytes], steps: list[int], flush: int = call_loop.flush_nanoseconds(0.01)) -> list[bytes]:
    """What a group of calls that answer ``replies`` sends; between two looks at the clock ``steps`` ns pass."""
    ours, theirs = _pair()
    got: list[bytes] = []

    def read() -> None:
        while message := ours.recv(1 << 20):
            got.append(message)

    reader = threading.Thread(target=read)
    reader.start()
    answers = iter(replies)
    times = accumulate(chain(steps, repeat(0)))
    try:
        with patch.object(call_loop, "perf_counter_ns", lambda: next(times)):
            call_loop.serve_group(theirs.fileno(), b"", [(0, 0)] * len(replies), lambda _: next(answers), flush)
    finally:
        theirs.close()
        reader.join()
        ours.close()
    return got


sizes = st.integers(0, 300) | st.sampled_from([PART_BYTES - 13, PART_BYTES - 12, PART_BYTES, 3 * PART_BYTES + 5])


@settings(max_examples=40)
@example([PART_BYTES - frames.REPLY.size], [])
@example([0] * 40, [10**7] * 40)
@given(st.lists(sizes, min_size=1, max_size=12), st.lists(st.integers(0, 3_000_000), max_size=30))
def test_replies_come_once_each_and_in_order_however_long_they_take(lengths: list[int], steps: list[int]) -> None:
    replies = [bytes([number]) * length for number, length in enumerate(lengths)]
    messages = _messages_of(replies, steps)
    assert [message[0] for message in messages] == [REPLIES] * (len(messages) - 1) + [END]
    assert max(map(len, messages)) <= PART_BYTES + 1
    reader = frames.ReplyReader(len(replies))
    got = [(index, reply) for message in messages for index, _, reply in reader.feed(message[1:])]
    assert got == list(enumerate(replies))
    assert reader.is_empty


@pytest.mark.parametrize(("seconds", "milliseconds"), [(0.001, 2), (0.1, 5), (0.5, 25), (1.0, 50), (600.0, 50)])
def test_replies_are_gathered_for_a_small_part_of_the_limit_of_a_call(seconds: float, milliseconds: int) -> None:
    assert call_loop.flush_nanoseconds(seconds) == milliseconds * 10**6


def test_calls_of_a_millisecond_leave_together_under_a_limit_of_seconds() -> None:
    """Each message wakes the zygote and the host."""
    replies, steps = [b"{}"] * 32, [500_000] * 65
    assert len(_messages_of(replies, steps)) > 10
    assert len(_messages_of(replies, steps, call_loop.flush_nanoseconds(10.0))) == 1


@pytest.mark.parametrize(("limit_ms", "messages"), [(10, 17), (10_000, 1)])
def test_a_worker_gathers_replies_by_the_limit_of_its_calls_as_a_fork_does(
    pair: Pair, limit_ms: int, messages: int
) -> None:
    ours, theirs = pair
    group = frames.pack_run(1, frames.WORKER, limit_ms, [b"{}"] * 32)[frames.HEADER.size :]
    call_loop.send_parts(ours, group, PART_OF_GROUP, GROUP)
    ours.shutdown(socket.SHUT_WR)
    times = accumulate(repeat(600_000))
    with patch.object(call_loop, "perf_counter_ns", lambda: next(times)):
        call_loop.serve_worker(theirs, bytes)
    theirs.close()
    got = []
    while message := ours.recv(1 << 20):
        got.append(message)
    assert len(got) == messages
    assert got[-1][0] == END


def test_a_call_of_many_hours_is_answered() -> None:
    """Waiting for solutions may take ten times a limit of ten minutes: more microseconds than 32 bits hold."""
    hours = 3 * 3600 * 10**9
    messages = _messages_of([b"{}"], [0, 0, hours])
    [(_, microseconds, reply)] = frames.ReplyReader(1).feed(b"".join(message[1:] for message in messages))
    assert (microseconds, reply) == ((1 << 32) - 1, b"{}")


def test_a_group_whose_last_call_cannot_be_answered_has_no_end_mark(pair: Pair) -> None:
    ours, theirs = pair
    answers = iter([b"first"])
    with pytest.raises(StopIteration):
        call_loop.serve_group(theirs.fileno(), b"", [(0, 0)] * 2, lambda _: next(answers))
    theirs.close()
    assert ours.recv(100) == b""


def test_each_call_gets_its_own_bytes_and_nothing_beside_them(pair: Pair) -> None:
    ours, theirs = pair
    frame = frames.pack_run(1, frames.BATCH, 1000, [b"one", b"", b"three"])[frames.HEADER.size :]
    _, _, spans = frames.unpack_run(frame)
    seen: list[bytes] = []
    call_loop.serve_group(theirs.fileno(), memoryview(frame), spans, lambda request: seen.append(bytes(request)) or b"")
    assert seen == [b"one", b"", b"three"]
    assert [reply for _, _, reply in frames.ReplyReader(3).feed(_replies_of_a_group(ours))] == [b"", b"", b""]


def test_a_worker_answers_group_after_group_until_the_line_closes(pair: Pair) -> None:
    ours, theirs = pair
    for calls in ([b"1", b"2"], [b"x" * (2 * PART_BYTES)], []):
        call_loop.send_parts(
            ours, frames.pack_run(1, frames.WORKER, 1, calls)[frames.HEADER.size :], PART_OF_GROUP, GROUP
        )
    ours.shutdown(socket.SHUT_WR)
    call_loop.serve_worker(theirs, lambda request: b"%d" % len(request))
    replies = [
        [reply for _, _, reply in frames.ReplyReader(calls).feed(_replies_of_a_group(ours))] for calls in (2, 1, 0)
    ]
    assert replies == [[b"1", b"1"], [b"131072"], []]


@settings(max_examples=20)
@given(st.sampled_from([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES]))
def test_a_message_in_parts_comes_together_again(length: int) -> None:
    ours, theirs = _pair()
    call_loop.send_parts(ours, b"x" * length, PART_OF_GROUP, GROUP)
    assert call_loop.receive_parts(theirs, GROUP) == b"x" * length
    ours.close()
    theirs.close()


def test_half_a_message_is_none(pair: Pair) -> None:
    ours, theirs = pair
    ours.send(bytes((PART_OF_GROUP,)) + b"half")
    ours.close()
    assert call_loop.receive_parts(theirs, GROUP) is None


def test_a_request_for_a_solution_waits_for_its_answer(pair: Pair) -> None:
    ours, theirs = pair
    call_loop.send_parts(ours, b'{"stdout": ""}', PART_OF_GROUP, SOLVED)
    request = b"x" * (PART_BYTES + 3)
    assert call_loop.ask_host(theirs, request) == b'{"stdout": ""}'
    first, last = ours.recv(1 << 20), ours.recv(1 << 20)
    assert (first[0], last[0], first[1:] + last[1:]) == (PART_OF_ASK, ASK, request)


def test_a_host_that_hangs_up_is_no_wrong_answer(pair: Pair) -> None:
    """An author's ``except Exception`` must not make a 0 of it."""
    ours, theirs = pair
    ours.shutdown(socket.SHUT_WR)
    with pytest.raises(solution.SolutionHostFaultError) as raised:
        call_loop.ask_host(theirs, b"{}")
    assert not isinstance(raised.value, Exception)
    assert raised.value.kind == "host"
