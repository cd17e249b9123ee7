"""The child's half of a group: run each call, send the replies, ask for solutions."""

import socket
import time
from collections.abc import Callable

from sandbox.guest import frames, solution
from sandbox.guest.messages import ASK, END, GROUP, PART_BYTES, PART_OF_ASK, REPLIES, SOLVED

_FLUSH_BYTES = 32 << 10
_FLUSH_NANOSECONDS = 2_000_000
_REPLY_MARK = bytes((REPLIES,))

Answer = Callable[[bytes], bytes]


def serve_group(sock: socket.socket, request: memoryview, spans: list[tuple[int, int]], answer: Answer) -> None:
    """Answer every call; each reply leaves before the next call starts, so that the zygote's clock is a call's."""
    solution.connect(lambda data: ask_host(sock, data))
    for index, (start, end) in enumerate(spans):
        started = time.perf_counter_ns()
        reply = answer(bytes(request[start:end]))
        taken_us = (time.perf_counter_ns() - started) // 1000
        _send_replies(sock, frames.REPLY.pack(len(reply), index, taken_us) + reply)


def serve_worker(sock: socket.socket, answer: Answer) -> None:
    """Answer groups until the zygote hangs up. Replies are gathered a moment: a worker's calls take microseconds."""
    solution.connect(lambda data: ask_host(sock, data))
    while (group := receive_parts(sock, GROUP)) is not None:
        _, _, spans = frames.unpack_run(group)
        gathered = bytearray()
        flushed_at = time.perf_counter_ns()
        for index, (start, end) in enumerate(spans):
            started = time.perf_counter_ns()
            reply = answer(group[start:end])
            now = time.perf_counter_ns()
            gathered += frames.REPLY.pack(len(reply), index, (now - started) // 1000)
            gathered += reply
            if len(gathered) > _FLUSH_BYTES or now - flushed_at > _FLUSH_NANOSECONDS:
                _send_replies(sock, gathered)
                gathered.clear()
                flushed_at = now
        _send_replies(sock, gathered)
        sock.send(bytes((END,)))


def _send_replies(sock: socket.socket, data: bytes | bytearray) -> None:
    for start in range(0, len(data), PART_BYTES):
        sock.sendmsg([_REPLY_MARK, data[start : start + PART_BYTES]])


def send_parts(sock: socket.socket, data: bytes, part: int, last: int) -> None:
    """Send ``data`` in messages whose first byte is ``part``, and ``last`` for the last one."""
    for start in range(0, max(1, len(data)), PART_BYTES):
        is_last = start + PART_BYTES >= len(data)
        sock.sendmsg([bytes((last if is_last else part,)), data[start : start + PART_BYTES]])


def ask_host(sock: socket.socket, request: bytes) -> bytes:
    """Send a request for a solution box and wait for the answer."""
    send_parts(sock, request, PART_OF_ASK, ASK)
    reply = receive_parts(sock, SOLVED)
    if reply is None:
        raise solution.HostFaultError("the host hung up")
    return reply


def receive_parts(sock: socket.socket, last: int) -> bytes | None:
    """One message made of parts; None when the zygote has hung up."""
    parts = []
    while message := sock.recv(PART_BYTES + 1):
        parts.append(message[1:])
        if message[0] == last:
            return b"".join(parts)
    return None
