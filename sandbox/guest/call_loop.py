"""The child's side of a call group: runs each call, sends the replies, asks for solutions."""

import os
import socket
from collections.abc import Callable
from time import perf_counter_ns

from sandbox.guest import frames, solution
from sandbox.guest.messages import ASK, END, GROUP, PART_BYTES, PART_OF_ASK, REPLIES, SOLVED

_FLUSH_BYTES = 32 << 10  # chosen, as the next two: replies of quick calls travel together
_FLUSH_NANOSECONDS = 2_000_000
_MOST_FLUSH_NANOSECONDS = 50_000_000
_FLUSH_SHARE = 20  # of the time limit of a call: see flush_time
_REPLIES_MARK, _END_MARK = bytes((REPLIES,)), bytes((END,))

Answer = Callable[[bytes | memoryview], bytes]


def serve_group(
    line: int,
    request: memoryview | bytes,
    spans: list[tuple[int, int]],
    answer: Answer,
    flush_nanoseconds: int = _FLUSH_NANOSECONDS,
) -> None:
    """Answer every call. Replies are collected for ``flush_nanoseconds`` and then sent together.

    No reply counts before its call group has ended. They are sent earlier because the zygote and the host take a silent
    call group for one that hangs. They are not sent singly because each message wakes both.

    ``line`` is a descriptor. This function does as little as possible beside the call itself: every Python object that
    a forked child touches costs it a copied page or two (3 us each).
    """
    gathered = b""
    flushed_at = perf_counter_ns()
    for index, (start, end) in enumerate(spans):
        started = perf_counter_ns()
        reply = answer(request[start:end])
        now = perf_counter_ns()
        gathered += frames.REPLY.pack(len(reply), index, min((now - started) // 1000, frames.MOST_MICROSECONDS)) + reply
        if len(gathered) > _FLUSH_BYTES or now - flushed_at > flush_nanoseconds:
            gathered = _send_gathered(line, gathered)
            flushed_at = now
    os.writev(line, (_END_MARK, gathered))


def flush_nanoseconds(call_seconds: float) -> int:
    """How long replies may be collected: a twentieth of the time limit of one call, at most 50 ms.

    A call starts when the call before it has ended, but its clock starts when the reply before it is sent. So a call
    may lose up to this time. If that ends its call group, the call runs again in a fork of its own with its full time.
    """
    return max(_FLUSH_NANOSECONDS, min(_MOST_FLUSH_NANOSECONDS, int(call_seconds * 1e9) // _FLUSH_SHARE))


def _send_gathered(line: int, gathered: bytes) -> bytes:
    """Send all collected replies."""
    for start in range(0, len(gathered), PART_BYTES):
        os.writev(line, (_REPLIES_MARK, gathered[start : start + PART_BYTES]))
    return b""


def serve_worker(sock: socket.SocketType, answer: Answer) -> None:
    """Answer call groups until the zygote closes the connection."""
    while (group := receive_parts(sock, GROUP)) is not None:
        _, timeout_ms, spans = frames.unpack_run(group)
        serve_group(sock.fileno(), group, spans, answer, flush_nanoseconds(timeout_ms / 1000))


def send_parts(sock: socket.SocketType, data: bytes, part: int, last: int) -> None:
    """Send ``data`` in messages whose first byte is ``part``, and ``last`` for the last one."""
    for start in range(0, max(1, len(data)), PART_BYTES):
        is_last = start + PART_BYTES >= len(data)
        sock.sendmsg([bytes((last if is_last else part,)), data[start : start + PART_BYTES]])


def ask_host(sock: socket.SocketType, request: bytes) -> bytes:
    """Send a request for a solution box and wait for the answer."""
    send_parts(sock, request, PART_OF_ASK, ASK)
    reply = receive_parts(sock, SOLVED)
    if reply is None:
        raise solution.SolutionHostFaultError("the host hung up")
    return reply


def receive_parts(sock: socket.SocketType, last: int) -> bytes | None:
    """One message made of parts; None when the zygote has closed the connection."""
    parts = []
    while message := sock.recv(PART_BYTES + 1):
        parts.append(message[1:])
        if message[0] == last:
            return b"".join(parts)
    return None
