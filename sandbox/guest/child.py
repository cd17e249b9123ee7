"""A forked child that serves calls, and the zygote's handles on it."""

import fcntl
import os
import signal
import socket
import termios
from _socket import socketpair as _socketpair  # without the Python object around each end
from collections.abc import Callable

from sandbox.guest import call_loop, frames, solution
from sandbox.guest.clock import Clock
from sandbox.guest.exits import ExitWatch
from sandbox.guest.line import Line, drop_lines
from sandbox.guest.messages import PART_BYTES

NOT_PREPARED = 75
"""Exit status of a child that failed before a model's program began."""
OUR_FAILURE = 70
"""Exit status of a child in which our own code, or any other, raised what nobody caught."""
_NO_MEMORY = 71
"""The same for MemoryError, which a program may bring about from outside the process."""

_NO_BYTES = bytes(4)  # a C int


class NotPreparedError(Exception):
    """The box cannot run a call. Another box may be able to."""


class Child:
    """A forked child and the zygote's handles on it."""

    def __init__(
        self,
        line: Line,
        fork: Callable[[], int],
        main: Callable[[socket.SocketType], None],
        *,
        keep_request: bool = False,
    ) -> None:
        self.sock, theirs = _socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket_number = self.sock.fileno()
        solution.connect(lambda data: call_loop.ask_host(theirs, data))  # here, where it costs the child nothing
        self.pid = fork()
        if self.pid == 0:
            _become_child(self.socket_number, theirs, main)
        theirs.close()
        if not _IS_INIT:
            _lead_a_process_group(self.pid)
        if not keep_request:
            line.forget_request()
        self.exit = ExitWatch(self.pid)
        self.held = 0
        """Bytes of its last message, which lies in the line's relay buffer."""
        self.is_reaped = False
        self.cpu_us = 0
        self.max_rss_kb = 0
        self._status = (frames.BROKEN, 0)

    def receive(self, line: Line) -> int:
        """One message into the relay buffer; 0 when there is none or no one is left to send."""
        try:
            count = self.sock.recv_into(line.relay, 0, socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionResetError):
            return 0
        line.relayed(count)
        return count

    def has_more(self) -> bool:
        """Whether anything was sent after the last message. Ask when no process is left that could send.

        The kernel counts the bytes of all messages. To receive would not do: a message without bytes looks like the end
        of the file, and a child that left something unread makes one call fail. Both would hide what comes after.
        """
        return fcntl.ioctl(self.socket_number, termios.FIONREAD, _NO_BYTES) != _NO_BYTES

    def send_parts(self, data: memoryview, part: int, last: int, clock: Clock) -> bool:
        """Send ``data`` in messages; False when the child does not take all of it before ``clock`` runs out."""
        try:
            for start in range(0, max(1, len(data)), PART_BYTES):
                is_last = start + PART_BYTES >= len(data)
                self._send([bytes((last if is_last else part,)), data[start : start + PART_BYTES]], clock)
        except OSError:
            self.kill()
            return False
        return True

    def _send(self, message: list[bytes | memoryview], clock: Clock) -> None:
        """Nearly always there is room, and a clock for waiting would cost three system calls more."""
        try:
            self.sock.sendmsg(message, (), socket.MSG_DONTWAIT)
        except BlockingIOError:
            self.sock.settimeout(max(0.001, clock.remaining()))
            try:
                self.sock.sendmsg(message)
            finally:
                self.sock.settimeout(None)

    def kill(self) -> None:
        """SIGKILL; the pid cannot have been reused, since it is not reaped yet."""
        if not self.is_reaped:
            os.kill(self.pid, signal.SIGKILL)

    def reap(self) -> tuple[int, int]:
        """Wait for its end. ``(status, detail)``: how it ended, by which signal or exit status."""
        if not self.is_reaped:
            _, status, usage = os.wait4(self.pid, 0)
            self.is_reaped = True
            self.cpu_us = int((usage.ru_utime + usage.ru_stime) * 1e6)
            self.max_rss_kb = usage.ru_maxrss
            self._status = _how_it_ended(status)
        return self._status

    def close(self) -> None:
        self.exit.close()
        self.sock.close()


def take_streams_of_its_own() -> None:
    """In a child: /dev/null under the numbers 0 to 2, opened by this process.

    What a child inherits under a number it shares with its parent, and so with every later child: flags, locks, the
    owner of its signals. A call could leave a note of 126 bits there, as the place and the length of a lock.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.close(null)


def _become_child(ours: int, line: socket.SocketType, main: Callable[[socket.SocketType], None]) -> None:
    """After fork, on the child's side: drop every line to the host, then serve. Never returns."""
    status = OUR_FAILURE
    try:
        drop_lines(but=line.fileno())
        os.closerange(ours, ours + 1)  # closed already where the package has so many files open that it was a line's
        take_streams_of_its_own()
        main(line)
        status = 0
    except NotPreparedError:
        status = NOT_PREPARED
    except MemoryError:
        status = _NO_MEMORY
    finally:
        os._exit(status)


_IS_INIT = os.getpid() == 1


def _lead_a_process_group(pid: int) -> None:
    """Make the child lead a process group. Outside of a box (the zygote is not PID 1) a call is killed by it."""
    try:
        os.setpgid(pid, pid)
    except OSError:  # It has ended, or is another program already.
        pass


def _how_it_ended(status: int) -> tuple[int, int]:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return frames.TIMED_OUT, number
        return (frames.FLOODED if number == signal.SIGXFSZ else frames.SIGNALLED), number
    code = os.WEXITSTATUS(status)
    return (frames.FINISHED if code == 0 else frames.EXITED), code
