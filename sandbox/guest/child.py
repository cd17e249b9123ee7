"""A forked child that serves calls, and the zygote's handles on it."""

import fcntl
import os
import signal
import socket
import termios
from _socket import socketpair as _socketpair  # the C type, without the Python class around each end
from collections.abc import Callable

from sandbox.guest import call_loop, frames, solution
from sandbox.guest.clock import Clock
from sandbox.guest.exits import ExitWatch
from sandbox.guest.line import Line, drop_lines
from sandbox.guest.messages import PART_BYTES

NOT_PREPARED = 75
"""Exit status of a child that failed before the model's program started."""
OUR_FAILURE = 70
"""Exit status of a child that an uncaught exception ended."""
_NO_MEMORY = 71
"""Exit status of a child that an uncaught MemoryError ended. Another process of the box can cause that."""

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
        # in the zygote, so that the child does not copy pages for it
        solution.connect(lambda data: call_loop.ask_host(theirs, data))
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
        """Length in bytes of its last message, which is still in the line's relay buffer."""
        self.is_reaped = False
        self.cpu_us = 0
        self.max_rss_kb = 0
        self._status = (frames.BROKEN, 0)

    def receive(self, line: Line) -> int:
        """Receive one message into the relay buffer. Returns its length, or 0 if there is none and none will come."""
        try:
            count = self.sock.recv_into(line.relay, 0, socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionResetError):
            return 0
        line.relayed(count)
        return count

    def has_more(self) -> bool:
        """Whether anything was sent after the last message. Ask when no process is left that could send.

        This asks the kernel for the number of unread bytes. Receiving would not do: an empty message looks like the end
        of the stream, and one call fails with a reset if the child left something unread. Either would hide what
        follows.
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
        """Send at once if there is room, which is nearly always so: waiting with a clock costs three more system
        calls.
        """
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

    An inherited descriptor shares flags, locks and signal owner with the parent, and so with every later child. A call
    could leave 126 bits there for a later call, as the position and length of a lock.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.close(null)


def _become_child(ours: int, line: socket.SocketType, main: Callable[[socket.SocketType], None]) -> None:
    """The child's side of a fork: close every connection to the host, then serve. Never returns."""
    status = OUR_FAILURE
    try:
        drop_lines(but=line.fileno())
        os.closerange(ours, ours + 1)  # already closed if its number was among those kept for connections (see line.py)
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
    """Make the child the leader of a process group. Outside a box, where the zygote is not PID 1, a call is killed by
    its process group.
    """
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
